# cmake -DINPUT=x.ptx -DOUTPUT=x.ptx.inc -P EmbedText.cmake: a text as a C++
# string literal.
file(READ ${INPUT} text)
file(WRITE ${OUTPUT} "R\"text(${text})text\"\n")
