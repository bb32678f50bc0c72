/** Why a page does not load, from the browser's name of the error, and what its user can do. */
import { MeasureError } from '../../format/error.ts'

const REMEDIES: [RegExp, string][] = [
  [/CONNECTION_REFUSED/, '; is the server running?'],
  [/ERR_CERT_|SSL/, '; if you trust this server all the same, record with `--browser-arg --ignore-certificate-errors`'],
]

export function loadError(url: string, errorText: string): MeasureError {
  const remedy = REMEDIES.find(([pattern]) => pattern.test(errorText))?.[1] ?? ''
  return new MeasureError(`the page ${url} does not load: ${errorText}${remedy}`, 5)
}
