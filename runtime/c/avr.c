#include <avr/pgmspace.h>
#define BBNET_FLASH PROGMEM
#define BBNET_READ_8(p) pgm_read_byte(p)
#define BBNET_READ_16(p) pgm_read_word(p)
#define BBNET_READ_32(p) pgm_read_dword(p)
