/* ATmega2560: timer 1 counts cycles, timer 3 every 1,024 of them; together they are exact for 67 million.
 * Ends by sleeping without interrupts, where simavr stops. */
#include "device.h"

#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/sleep.h>

void device_start(void) {
    TCCR1B = 1 << CS10;
    TCCR3B = (1 << CS32) | (1 << CS30);
}

device_time device_clock(void) {
    device_time now;
    now.fine = TCNT1;
    now.coarse = TCNT3;
    return now;
}

/* The number closest to the coarse difference whose low 16 bits are the fine one's. */
uint32_t device_between(device_time start, device_time end) {
    const uint32_t coarse = (uint32_t)(uint16_t)(end.coarse - start.coarse) * 1024u;
    const uint16_t fine = (uint16_t)(end.fine - start.fine);
    return coarse + (uint32_t)(int32_t)(int16_t)(fine - (uint16_t)coarse);
}

void device_put(char c) {
    UCSR0B = 1 << TXEN0;
    while ((UCSR0A & (1 << UDRE0)) == 0) {
    }
    UDR0 = (uint8_t)c;
}

void device_end(void) {
    cli();
    sleep_enable();
    sleep_cpu();
}
