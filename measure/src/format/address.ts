/** Addresses of source files, and the paths and names in them. A path is no address: each of its characters counts. */

/** One letter and a colon would be a drive. */
const isAddress = (text: string): boolean => /^[a-z][a-z\d+.-]+:/i.test(text)

/** Without what does not belong to the file's name: the versions that development servers put behind it. */
export const withoutQuery = (address: string): string =>
  isAddress(address) ? address.replace(/[?#].*$/s, '') : address

/** What an address says once its `%20` are undone; where it is no right one, as it stands. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/**
 * The parts of an address or path, for people to read; what nobody could see stays as it stands in the address. The
 * first of an address with a host is that.
 */
export function partsOf(address: string): string[] {
  const path = withoutQuery(address)
  if (!isAddress(path)) return path.split(/[\\/]/)
  return path
    .replace(/^[\w+.-]+:\/\//, '')
    .split('/')
    .map((part) => (/[\p{C}\p{Z}/\\]/u.test(decoded(part).replaceAll(' ', '')) ? part : decoded(part)))
}

/** The last part of an address or path. */
export const baseName = (address: string): string => partsOf(address).at(-1)!
