#!/bin/bash
#SBATCH --job-name=@run@-rest
#SBATCH --chdir=@here@
# Submits what the queue did not hold.
exec @program@ cluster slurm @config@ --resubmit
