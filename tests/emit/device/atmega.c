/* ATmega with USART 0; it ends by sleeping without interrupts, where simavr stops. */
#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/sleep.h>

void device_start(void) {
    UCSR0B = 1 << TXEN0;
}

void device_put(char c) {
    while ((UCSR0A & (1 << UDRE0)) == 0) {
    }
    UDR0 = (uint8_t)c;
}

void device_end(void) {
    cli();
    sleep_enable();
    sleep_cpu();
}
