/* ATmega with USART 0; it ends by sleeping without interrupts, where simavr stops. */
#include "board.h"

#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/sleep.h>

void board_put(char c) {
    UCSR0B = 1 << TXEN0;
    while ((UCSR0A & (1 << UDRE0)) == 0) {
    }
    UDR0 = (uint8_t)c;
}

void board_end(void) {
    cli();
    sleep_enable();
    sleep_cpu();
}
