/** Messages on standard error. */
import { visible } from '../format/visible.ts'

export const say = (text: string): void => console.error(visible(text, { lines: true }))
