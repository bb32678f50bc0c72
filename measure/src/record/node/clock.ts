/** Microseconds since the trace's origin, without the recorder's own pauses (writing, looking at stacks). */
export class RecorderClock {
  private paused = 0
  private readonly time: () => number

  constructor(time: () => number) {
    this.time = time
  }

  now(): number {
    return this.time() - this.paused
  }

  /** What has passed since `began`, by this clock, was a pause. */
  pausedSince(began: number): void {
    this.paused += this.now() - began
  }
}
