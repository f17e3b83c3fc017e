/* qemu's mps2-an385, a Cortex-M3 with 4 MB where a part has FLASH. With -icount shift=6 an instruction
 * takes 64 ns, and SysTick counts every 40 ns: 8 ticks are 5 instructions, so that a difference of two
 * clocks is exact after rounding. */
#include "device.h"

#define SYSTICK ((volatile uint32_t *)0xE000E010)
#define SYSTICK_MASK 0xFFFFFFu

extern uint32_t stack_top;
int main(void);

static uint32_t semihosting(uint32_t operation, const void *argument) {
    register uint32_t r0 __asm__("r0") = operation;
    register const void *r1 __asm__("r1") = argument;
    __asm__ volatile("bkpt 0xAB" : "+r"(r0) : "r"(r1) : "memory");
    return r0;
}

void device_start(void) {
    SYSTICK[1] = SYSTICK_MASK;
    SYSTICK[2] = 0u;
    SYSTICK[0] = 5u;
}

device_time device_clock(void) {
    const device_time now = {SYSTICK[2], 0u};
    return now;
}

uint32_t device_between(device_time start, device_time end) {
    return (((start.fine - end.fine) & SYSTICK_MASK) * 5u + 4u) / 8u;
}

void device_put(char c) { (void)semihosting(0x03, &c); }

void device_end(void) { (void)semihosting(0x18, (const void *)0x20026); }

static void reset(void) {
    (void)main();
    device_end();
}

static void fault(void) {
    device_put('!');
    device_end();
}

__attribute__((section(".vectors"), used)) static const struct {
    uint32_t *stack;
    void (*handler[15])(void);
} vectors = {&stack_top, {reset, fault, fault, fault, fault, fault}};
