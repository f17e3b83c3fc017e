// Classifies one row again and again and prints the number of its class, -1 for "don't know".
@include@

static bbnet_column x[BBNET_COLUMNS] = {
@row_values@
};

void setup() {
    Serial.begin(115200);
}

void loop() {
    bbnet_answer answer;
    bbnet_classify(x, &answer);
    Serial.print(F("class "));
    Serial.print(answer.predicted);
    Serial.print(F(", margin "));
    Serial.println(answer.margin);
    delay(1000);
}
