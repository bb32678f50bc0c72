// What the game's loop knows of its characters.
void begin(void);
void pressed(char key); // wakes whoever waits for a key
int is_over(void);
