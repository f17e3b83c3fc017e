/* The board: Texas Instruments LM3S6965 (Cortex-M3, 256 KB flash, 64 KB RAM) as qemu has it. Vectors, UART 0, and the end
 * of the program by semihosting. Nothing is initialised: there is no .data, and .bss is zero under qemu. */
#include "board.h"

#include <stdint.h>

#define UART_DATA (*(volatile uint32_t *)0x4000C000)
#define UART_FLAGS (*(volatile uint32_t *)0x4000C018)
#define UART_RX_EMPTY 0x10u
#define UART_TX_FULL 0x20u

extern uint32_t stack_top;
int main(void);

char board_get(void) {
    while ((UART_FLAGS & UART_RX_EMPTY) != 0u) {
    }
    return (char)UART_DATA;
}

void board_put(char c) {
    while ((UART_FLAGS & UART_TX_FULL) != 0u) {
    }
    UART_DATA = (uint32_t)c;
}

void board_end(void) {
    register uint32_t operation __asm__("r0") = 0x18;  /* exit */
    register uint32_t reason __asm__("r1") = 0x20026;  /* the application ended */
    __asm__ volatile("bkpt 0xAB" : : "r"(operation), "r"(reason) : "memory");
}

static void reset(void) {
    (void)main();
    board_end();
}

static void fault(void) {
    board_put('!');
    board_end();
}

__attribute__((section(".vectors"), used)) static const struct {
    uint32_t *stack;
    void (*handler[15])(void);
} vectors = {&stack_top, {reset, fault, fault, fault, fault, fault}};
