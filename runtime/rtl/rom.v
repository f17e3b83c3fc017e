// A memory with contents from a file of hexadecimal words, one per line. Latency 1 clock.
// $readmemh is what simulators and synthesis tools of all vendors take for block RAM of any size; the
// file is looked for in the tool's working folder, so its name comes with a path.
module bitbayes_rom #(
    parameter WIDTH = 1,
    parameter DEPTH = 2,
    parameter ADDRESS_WIDTH = 1,
    parameter FILE = ""
) (
    input  wire clk,
    input  wire [ADDRESS_WIDTH-1:0] address,
    output reg  [WIDTH-1:0] data
);
    reg [WIDTH-1:0] words [0:DEPTH-1];
    generate
        if (FILE != "") begin : contents
            initial $readmemh(FILE, words);
        end
    endgenerate
    always @(posedge clk) data <= words[address];
endmodule
