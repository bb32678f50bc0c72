// What a program that imports some names takes, as a bundler makes it small: bytes, minified and gzipped.
import { build } from 'esbuild'
import { gzipSync } from 'node:zlib'

/**
 * `names`: `*` or `{ mutex }`. `from` is what the program imports from, as seen from the folder `root`; `platform` is
 * what it is bundled for.
 */
export async function sizeOf(root, names, from = './dist/index.js', platform = 'browser') {
  const { outputFiles } = await build({
    stdin: { contents: `export ${names} from '${from}'`, resolveDir: root },
    bundle: true,
    minify: true,
    platform,
    target: 'es2022',
    format: 'esm',
    write: false,
    logLevel: 'error',
  })
  return gzipSync(outputFiles[0].contents, { level: 9 }).length
}
