static void bbnet_read(const bbnet_column *x, bbnet_input *input) {
    input->x = x;
    input->total = bbnet_add(x, bbnet_used);
}
