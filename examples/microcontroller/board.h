#ifndef BOARD_H
#define BOARD_H

char board_get(void); /* waits for a character */
void board_put(char c);
void board_end(void);

#endif
