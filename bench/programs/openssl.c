/* Carries out fixed numbers of operations, whereas `openssl speed` takes a fixed time: openssl KEY TIMES. KEY is a file
 * with an RSA key. What it prints has to be the same as when clang has compiled it. A signature of PKCS #1, unlike one
 * of ECDSA, is always the same. */
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LARGEST = 16384 };

static unsigned char text[LARGEST], packed[LARGEST + 64];

static int fail(const char *what) {
  fprintf(stderr, "openssl: %s failed\n", what);
  return 1;
}

static void print_bytes(const char *name, const unsigned char *bytes, size_t count) {
  printf("%s ", name);
  for (size_t i = 0; i < count && i < 16; i++)
    printf("%02x", bytes[i]);
  puts("");
}

/* Hashes buffers of several sizes; each answer is the beginning of the next buffer. */
static int hashes(const char *name, int times) {
  static const size_t sizes[] = {16, 256, 1024, LARGEST};
  EVP_MD *hash = EVP_MD_fetch(NULL, name, NULL);
  EVP_MD_CTX *context = EVP_MD_CTX_new();
  for (int i = 0; i < times * 4; i++)
    if (!EVP_DigestInit_ex2(context, hash, NULL) || !EVP_DigestUpdate(context, text, sizes[i % 4]) ||
        !EVP_DigestFinal_ex(context, text, NULL))
      return fail(name);
  print_bytes(name, text, 16);
  EVP_MD_CTX_free(context), EVP_MD_free(hash);
  return 0;
}

static int ciphers(const char *name, int times) {
  static const int sizes[] = {16, 256, 1024, LARGEST};
  static const unsigned char key[32] = "0123456789abcdef0123456789abcde", start[16] = "fedcba987654321";
  EVP_CIPHER *cipher = EVP_CIPHER_fetch(NULL, name, NULL);
  EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
  int length, rest;
  for (int i = 0; i < times * 4; i++) {
    if (!EVP_EncryptInit_ex2(context, cipher, key, start, NULL) ||
        !EVP_EncryptUpdate(context, packed, &length, text, sizes[i % 4]) ||
        !EVP_EncryptFinal_ex(context, packed + length, &rest))
      return fail(name);
    memcpy(text, packed, 16);
  }
  print_bytes(name, packed, 16);
  EVP_CIPHER_CTX_free(context), EVP_CIPHER_free(cipher);
  return 0;
}

/* Signs, and verifies each signature twenty times, since that is much cheaper. */
static int signatures(const char *file, int times) {
  FILE *opened = fopen(file, "r");
  EVP_PKEY *key = opened ? PEM_read_PrivateKey(opened, NULL, NULL, NULL) : NULL;
  EVP_MD_CTX *context = EVP_MD_CTX_new();
  size_t length = sizeof packed;
  if (!key)
    return fail(file);
  for (int i = 0; i < times; i++) {
    length = sizeof packed;
    if (!EVP_DigestSignInit_ex(context, NULL, "SHA256", NULL, NULL, key, NULL) ||
        !EVP_DigestSign(context, packed, &length, text, 64))
      return fail("signing");
    for (int again = 0; again < 20; again++)
      if (!EVP_DigestVerifyInit_ex(context, NULL, "SHA256", NULL, NULL, key, NULL) ||
          EVP_DigestVerify(context, packed, length, text, 64) != 1)
        return fail("verifying");
    memcpy(text, packed, 64);
  }
  print_bytes("rsa", packed, length);
  EVP_MD_CTX_free(context), EVP_PKEY_free(key), fclose(opened);
  return 0;
}

int main(int argc, char **argv) {
  const int times = argc == 3 ? atoi(argv[2]) : 0;
  if (times <= 0)
    return 2;
  return hashes("SHA256", times) || hashes("SHA512", times) || ciphers("AES-128-CBC", times) ||
         ciphers("AES-256-GCM", times) || signatures(argv[1], times / 20 + 1);
}
