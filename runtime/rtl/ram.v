// A memory with one port to write and one to read. Latency of reading 1 clock.
module bitbayes_ram #(
    parameter WIDTH = 1,
    parameter DEPTH = 2,
    parameter ADDRESS_WIDTH = 1
) (
    input  wire clk,
    input  wire write,
    input  wire [ADDRESS_WIDTH-1:0] write_address,
    input  wire [WIDTH-1:0] write_data,
    input  wire [ADDRESS_WIDTH-1:0] read_address,
    output reg  [WIDTH-1:0] read_data
);
    reg [WIDTH-1:0] words [0:DEPTH-1];
    always @(posedge clk) begin
        if (write) words[write_address] <= write_data;
        read_data <= words[read_address];
    end
endmodule
