// A clock for each seat. It runs for the seat to move while the game continues at its last position;
// taking back moves returns no time.

export class Clock {
  #remaining = null;
  #running = null;
  #startTime = 0;

  /** Sets the minutes of each seat; 0 for no clock. */
  set(minutes, seats) {
    this.#remaining = minutes > 0 ? Array(seats).fill(minutes * 60_000) : null;
    this.#running = null;
  }

  /** Runs for a seat from now on; null to stop. */
  run(seat, now = performance.now()) {
    if (!this.#remaining) return;
    if (this.#running !== null) this.#remaining[this.#running] = Math.max(0, this.#remaining[this.#running] - (now - this.#startTime));
    this.#running = seat;
    this.#startTime = now;
  }

  /** The remaining milliseconds of each seat; null without a clock. */
  remaining(now = performance.now()) {
    if (!this.#remaining) return null;
    this.run(this.#running, now);
    return [...this.#remaining];
  }

  /** The seat whose time has expired; null without one. */
  get expiredSeat() {
    const seat = this.#remaining?.findIndex((remaining) => remaining <= 0) ?? -1;
    return seat < 0 ? null : seat;
  }
}

/** `4:05`, and tenths in the last ten seconds. */
export function formatTime(milliseconds) {
  if (milliseconds < 10_000) return (Math.floor(milliseconds / 100) / 10).toFixed(1);
  const seconds = Math.ceil(milliseconds / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}
