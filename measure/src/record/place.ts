/** A place in source text, as recorders find it. */
export interface Place {
  url: string
  line: number
  column: number
  name: string
  /**
   * Of a place inside a function: where that function begins. Two functions are the same if they begin at the same
   * place.
   */
  begin?: [line: number, column: number]
}
