// A clock for each seat. It runs for who is to move, while the game goes on at its end; what was
// taken back is not given back.

export class Clock {
  #left = null;
  #runs = null;
  #since = 0;

  /** Minutes for each of so many seats; 0 for no clock. */
  set(minutes, seats) {
    this.#left = minutes > 0 ? Array(seats).fill(minutes * 60_000) : null;
    this.#runs = null;
  }

  /** Runs for this seat from now on; null for none. */
  run(seat, now = performance.now()) {
    if (!this.#left) return;
    if (this.#runs !== null) this.#left[this.#runs] = Math.max(0, this.#left[this.#runs] - (now - this.#since));
    this.#runs = seat;
    this.#since = now;
  }

  /** Milliseconds left to each seat; null without a clock. */
  left(now = performance.now()) {
    if (!this.#left) return null;
    this.run(this.#runs, now);
    return [...this.#left];
  }

  /** The seat whose time is over; null if none. */
  get over() {
    const seat = this.#left?.findIndex((left) => left <= 0) ?? -1;
    return seat < 0 ? null : seat;
  }
}

/** `4:05`, and tenths in the last ten seconds. */
export function shownTime(milliseconds) {
  if (milliseconds < 10_000) return (Math.floor(milliseconds / 100) / 10).toFixed(1);
  const seconds = Math.ceil(milliseconds / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}
