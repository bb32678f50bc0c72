/* Parses a text of JSON, changes the objects in it, prints them and compares: json ROUNDS. What it prints has to be the
 * same as when clang has compiled it. */
#include "cJSON.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PEOPLE = 200 };

/* A list of objects with strings, numbers, nested lists and what has to be escaped. */
static cJSON *people(void) {
  static const char *const words[] = {"plain", "with \"quotes\"", "back\\slash", "line\nend", "caf\xc3\xa9", ""};
  cJSON *list = cJSON_CreateArray();
  for (int i = 0; i < PEOPLE; i++) {
    cJSON *one = cJSON_CreateObject(), *visits = cJSON_AddArrayToObject(one, "visits");
    cJSON_AddNumberToObject(one, "id", i);
    cJSON_AddStringToObject(one, "name", words[i % 6]);
    cJSON_AddBoolToObject(one, "active", i % 3 == 0);
    cJSON_AddNumberToObject(one, "weight", i * 0.37 - 20);
    cJSON_AddNullToObject(one, "parent");
    for (int day = 0; day < i % 10; day++)
      cJSON_AddItemToArray(visits, cJSON_CreateNumber(day * 1e9 + i));
    cJSON_AddItemToArray(list, one);
  }
  return list;
}

int main(int argc, char **argv) {
  cJSON *list = people();
  char *text = cJSON_PrintUnformatted(list);
  unsigned long long sum = 0;
  for (int round = argc > 1 ? atoi(argv[1]) : 1; round > 0; round--) {
    cJSON *again = text ? cJSON_Parse(text) : NULL, *one;
    if (!again || !cJSON_Compare(list, again, 1))
      return 1;
    cJSON_ArrayForEach(one, again) {
      cJSON_SetNumberValue(cJSON_GetObjectItemCaseSensitive(one, "id"), round);
      cJSON_DeleteItemFromObjectCaseSensitive(one, "parent");
    }
    char *pretty = cJSON_Print(again);
    cJSON_Delete(again);
    if (!pretty)
      return 1;
    for (const char *p = pretty; *p; p++)
      sum = sum * 31 + (unsigned char)*p;
    free(pretty);
  }
  printf("%zu bytes: %llx\n", strlen(text), sum);
  cJSON_Delete(list), free(text);
  return 0;
}
