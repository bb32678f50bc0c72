// S3rver (Koa): objects are stored as files, read, listed, copied and deleted.
import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { crowd, send } from '../load.mjs'

export default {
  title: 'S3rver',
  package: ['npm', 's3rver'],
  command({ module, dir, port }) {
    mkdirSync(path.join(dir, 'objects'))
    return {
      program: module('s3rver/bin/s3rver.js'),
      args: ['-d', path.join(dir, 'objects'), '-p', String(port), '-a', '127.0.0.1', '--silent'].concat([
        '--configure-bucket',
        'shop',
      ]),
      ready: '',
    }
  },
  load: (url, until) =>
    crowd(8, 40, until, async (user, turn) => {
      const name = (n) => `${url}shop/u${user}/${n % 25}.txt`
      const step = turn % 5
      if (step === 0 || step === 1) await send(name(turn), 'PUT', 'a line of text\n'.repeat(100 + turn))
      else if (step === 2) await send(name(turn - 1), 'GET')
      else if (step === 3) await send(`${url}shop?list-type=2&prefix=u${user}/&max-keys=50`, 'GET')
      else await send(name(turn - 3), 'DELETE')
    }),
}
