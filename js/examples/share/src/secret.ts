/** The list is sealed with AES-GCM and a key from the passphrase that the people share. The server sees neither. */
const encoder = new TextEncoder()
const decoder = new TextDecoder()

export interface Secret {
  key: CryptoKey
}

export async function openSecret(passphrase: string): Promise<Secret> {
  const raw = await crypto.subtle.importKey('raw', encoder.encode(passphrase), 'PBKDF2', false, ['deriveKey'])
  const derivation = { name: 'PBKDF2', salt: encoder.encode('share'), iterations: 50_000, hash: 'SHA-256' }
  const cipher = { name: 'AES-GCM', length: 256 }
  const key = await crypto.subtle.deriveKey(derivation, raw, cipher, false, ['encrypt', 'decrypt'])
  return { key }
}

export async function seal({ key }: Secret, text: string): Promise<string> {
  const iv = crypto.getRandomValues(new Uint8Array(12))
  const sealed = new Uint8Array(await crypto.subtle.encrypt({ name: 'AES-GCM', iv }, key, encoder.encode(text)))
  return btoa(String.fromCharCode(...iv, ...sealed))
}

export async function unseal({ key }: Secret, box: string): Promise<string> {
  const bytes = Uint8Array.from(atob(box), (c) => c.charCodeAt(0))
  return decoder.decode(await crypto.subtle.decrypt({ name: 'AES-GCM', iv: bytes.slice(0, 12) }, key, bytes.slice(12)))
}
