/* Texas Instruments LM3S6965 (Cortex-M3) as qemu's board lm3s6965evb has it: vectors, UART 0, and the end by
 * semihosting. Nothing is initialised: there is no .data, and .bss is zero under qemu. */
#include <stdint.h>

extern uint32_t stack_top;
int main(void);

void device_start(void) {}

void device_put(char c) {
    *(volatile uint32_t *)0x4000C000 = (uint32_t)c;
}

void device_end(void) {
    register uint32_t operation __asm__("r0") = 0x18;   /* exit */
    register uint32_t reason __asm__("r1") = 0x20026;   /* the application ended */
    __asm__ volatile("bkpt 0xAB" : : "r"(operation), "r"(reason) : "memory");
}

static void reset(void) {
    main();
}

static void fault(void) {
    device_put('!');
    device_end();
}

__attribute__((section(".vectors"), used)) static const struct {
    uint32_t *stack;
    void (*handler[15])(void);
} vectors = {&stack_top, {reset, fault, fault, fault, fault, fault}};
