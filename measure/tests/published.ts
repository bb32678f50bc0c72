/**
 * Races that somebody has published, in the packages from npm that have them: each in a version with the race, used by
 * a small program in `published/` that brings it about.
 */
export interface Published {
  /** The program of that name in `published/`. */
  name: string
  /** Where the race is reported, or described. */
  report: string
  /** The packages whose code counts as the program's own. */
  own: string[]
  /** What the card of the race says. */
  card: RegExp
}

const github = (thread: string): string => `https://github.com/${thread}`
const race = (name: string, report: string, card: RegExp, own: string[] = [name]): Published => ({
  name,
  report,
  own,
  card,
})
const session = (name: string, report: string, card: RegExp, more: string[] = []): Published =>
  race(name, github(report), card, [name, ...more])

export const published: Published[] = [
  race('express-brute', github('AdamPflug/express-brute/issues/46'), /index\.js:47 read rows, waited and wrote it/),
  race('express-limiter', github('tj/node-ratelimiter/issues/6'), /middleware\(\) read rows, waited and wrote it/),
  race('cache-manager', github('jaredwray/cacheable/pull/599'), /wrap\(\) read rows, waited and wrote it/),
  race('cacheable', github('jaredwray/cacheable/issues/888'), /read store, waited and wrote it/, [
    'cacheable',
    'hookified',
  ]),
  race('apicache', github('kwhitley/apicache/issues/33'), /cache\(\) read this\.cache\[key\]/),
  race('copy-webpack-plugin', github('webpack/copy-webpack-plugin/issues/763'), /read cache, waited and wrote it/),
  race('gtoken', github('googleapis/node-gtoken/issues/350'), /getTokenAsync\(\) read this\.rawToken, waited/),
  race('keyv', github('jaredwray/keyv/pull/219'), /get\(\) read store, waited and wrote it/),
  session('express-session', 'expressjs/session/issues/606', /read this\.sessions\[sessionId\], waited and wrote it/),
  session('koa-session', 'apostrophecms/apostrophe/issues/1765', /session\(\) read rows, waited and wrote it/),
  session('koa-generic-session', 'apostrophecms/apostrophe/issues/1765', /read rows, waited and wrote it/),
  session('fastify-session', 'SerayaEryn/fastify-session/issues/237', /decryptSession\(\) read rows, waited and wrote/),
  session('memorystore', 'expressjs/session/issues/606', /session\(\) read item\.\w+, waited and wrote it/, [
    'express-session',
    'lru-cache',
  ]),
  session('session-file-store', 'valery-barysok/session-file-store/pull/55', /the file [\w-]+\.json/, [
    'fs-extra',
    'graceful-fs',
    'write-file-atomic',
  ]),
  race('prisma-session-store', github('kleydon/prisma-session-store/pull/193'), /read this\.isSetting, waited/, [
    '@quixo3/prisma-session-store',
  ]),
  race('lowdb', github('typicode/lowdb/issues/478'), /read this\.nextData, waited and wrote it/, [
    'lowdb',
    'steno',
    'graceful-fs',
  ]),
  race('lockfile', github('npm/lockfile/issues/4'), /maybeStale\(\) read the file a\.lock, waited and wrote it/),
  race('proper-lockfile', github('moxystudio/node-proper-lockfile/issues/121'), /read the file db\.lock, waited/, [
    'proper-lockfile',
    'graceful-fs',
  ]),
  race('tmp', github('raszi/node-tmp/issues/206'), /_getUniqueName\(\) read the file upload, waited and wrote it/),
  race('fs-extra', github('jprichardson/node-fs-extra/issues/967'), /read the file a\.txt, waited and wrote it/, [
    'fs-extra',
    'graceful-fs',
  ]),
]
