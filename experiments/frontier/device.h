/* What measure.c needs of a device. */
#ifndef DEVICE_H
#define DEVICE_H

#include <stdint.h>

#if defined(__AVR__)
#include <avr/io.h>
#include <avr/pgmspace.h>
#define READ_ROW_BYTE(p) pgm_read_byte(p)
#define ROW_SECTION ".progmem.rows"
#define STACK_PAINTED 1024
static inline volatile uint8_t *stack_pointer(void) { return (volatile uint8_t *)SP + 1; }
#else
#define READ_ROW_BYTE(p) (*(p))
#define ROW_SECTION ".rodata.rows"
#define STACK_PAINTED 8192
static inline volatile uint8_t *stack_pointer(void) {
    volatile uint8_t *pointer;
    __asm__ volatile("mov %0, sp" : "=r"(pointer));
    return pointer;
}
#endif

typedef struct {
    uint32_t fine, coarse;
} device_time;

void device_start(void);
device_time device_clock(void);
uint32_t device_between(device_time start, device_time end); /* instructions or cycles */
void device_put(char c);
void device_end(void);

#endif
