"""Prints a module with, for each element type, a function @every_TYPE that calls
one for each collective and reduction on the type."""

FLOATS = ["f16", "bf16", "f32", "f64"]
INTEGERS = ["i8", "i16", "i32", "i64"]
AXIS = '@mesh["tp"]'

# What it is called, the op on %x, and how many elements go in and come out.
MOVING = [
    ("all_gather", "comm.all_gather %x dim 0", 8, 32),
    ("all_to_all", "comm.all_to_all %x split 0 concat 0", 8, 8),
    ("broadcast", "comm.broadcast %x root 1", 8, 8),
    ("permute", "comm.permute %x [(0, 1), (1, 2), (3, 3)]", 8, 8),
    ("gather", "comm.gather %x dim 0 root 2", 8, 32),
    ("scatter", "comm.scatter %x dim 0 root 3", 8, 2),
]
REDUCING = [
    ("all_reduce_{0}", "comm.all_reduce {0} %x", 8, 8),
    ("reduce_scatter_{0}", "comm.reduce_scatter {0} %x dim 0", 8, 2),
    ("reduce_{0}", "comm.reduce {0} %x root 1", 8, 8),
]


# Of the functions of the type that is printed: names, elements in and out.
printed = []


def print_function(name, op, element, size, result):
    types = f"tensor<{size}x{element}>"
    if size != result or "all_to_all" in op:
        types += f" -> tensor<{result}x{element}>"
    begin_function(name, element, size, result)
    print(f"  %y = {op} over {AXIS} : {types}")
    # Every rank's own, so that nobody warns of what is replicated.
    replicates = any(word in op for word in ["all_reduce", "all_gather", "broadcast"])
    if replicates:
        print(f"  %z = comm.vary %y over {AXIS} : tensor<{result}x{element}>")
    print(f"  return {'%z' if replicates else '%y'} : tensor<{result}x{element}>")
    print("}")


def begin_function(name, element, size, result):
    printed.append((f"{name}_{element}", size, result))
    print(f"func.func private @{name}_{element}(%x: tensor<{size}x{element}>) -> tensor<{result}x{element}> {{")


def call_all(element):
    types = ", ".join(f"tensor<{result}x{element}>" for _, _, result in printed)
    print(f"func.func @every_{element}(%x: tensor<8x{element}>) -> ({types}) {{")
    for name, size, result in printed:
        print(f"  %{name} = call @{name}(%x) : (tensor<{size}x{element}>) -> tensor<{result}x{element}>")
    print(f"  return {', '.join('%' + name for name, _, _ in printed)} : {types}")
    print("}")
    printed.clear()


def get_reductions(element, everywhere):
    if element == "i1":
        return ["and", "or", "xor"] if everywhere else []
    if element in FLOATS:
        return ["sum", "avg"] + (["prod", "max", "min"] if everywhere else [])
    return ["sum"] + (["prod", "max", "min", "and", "or", "xor"] if everywhere else [])


print("comm.mesh @mesh [tp = 4]")
for element in ["i1"] + INTEGERS + FLOATS:
    for name, op, size, result in MOVING:
        print_function(name, op, element, size, result)
    for name, op, size, result in REDUCING:
        for reduction in get_reductions(element, "all_reduce" in op):
            print_function(
                name.format(reduction), op.format(reduction), element, size, result
            )
    begin_function("message", element, 8, 8)
    print(f"  %m = comm.send %x from 0 to 1 over {AXIS} : tensor<8x{element}> -> !comm.message<tensor<8x{element}>>")
    print(f"  %y = comm.recv %m : !comm.message<tensor<8x{element}>> -> tensor<8x{element}>")
    print(f"  return %y : tensor<8x{element}>")
    print("}")
    call_all(element)
