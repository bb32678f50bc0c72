/** WebCrypto. See `web.ts` on programs. */
import type { Marks } from '../common.ts'
import type { Oracle } from '../oracle.ts'

export const webCrypto: Oracle<Marks>[] = [
  {
    name: 'derive-bits',
    promise: true,
    program: async ({ p, c }) => {
      const k = await crypto.subtle.importKey('raw', new Uint8Array(4), 'PBKDF2', false, ['deriveBits'])
      p()
      await crypto.subtle.deriveBits(
        { name: 'PBKDF2', hash: 'SHA-256', salt: new Uint8Array(4), iterations: 20_000 },
        k,
        128,
      )
      c()
    },
    optional: true,
  },
  {
    name: 'generate-key',
    promise: true,
    program: async ({ p, c }) => {
      p()
      await crypto.subtle.generateKey(
        { name: 'RSA-OAEP', modulusLength: 1024, publicExponent: new Uint8Array([1, 0, 1]), hash: 'SHA-256' },
        true,
        ['encrypt', 'decrypt'],
      )
      c()
    },
  },
  {
    name: 'digest-of-little',
    promise: true,
    expect: 'same',
    program: async ({ p, c }) => {
      p()
      await crypto.subtle.digest('SHA-256', new Uint8Array(4))
      c()
    },
    optional: true,
  },
]
