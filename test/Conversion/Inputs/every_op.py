"""Prints a module with a function for each elementwise op and reduction on each
element type that has a lowering: `every_op.py TYPE...`, or all types. For one
type, @every calls all of them: its arguments are the tensors that they take."""

import sys

FLOATS = ["f16", "bf16", "f32", "f64"]
INTEGERS = ["i1", "i8", "i16", "i32", "i64", "index"]
WIDTH = {"f16": 16, "bf16": 16, "f32": 32, "f64": 64}

MATH_OF_ONE = """absf acos acosh asin asinh atan atanh cbrt ceil cos cosh erf erfc exp exp2 expm1 floor log
log10 log1p log2 round roundeven rsqrt sin sinh sqrt tan tanh trunc""".split()
MATH_OF_TWO = "atan2 copysign powf".split()
FLOAT_OF_TWO = "addf subf mulf divf remf maximumf minimumf maxnumf minnumf".split()
COMPARED = "oeq ogt oge olt ole one ord ueq ugt uge ult ule une uno".split()
INTEGER_OF_TWO = """addi subi muli divsi divui remsi remui andi ori xori shli shrsi shrui maxsi maxui minsi minui
ceildivsi ceildivui floordivsi""".split()
INTEGER_OF_ONE = "absi ctlz cttz ctpop".split()


# Name, types of the arguments and of the results of each function.
functions = []


def elementwise(name, op, inputs, results, before=""):
    """op is the text of the op; its operands are %0, %1, ..."""
    arguments = ", ".join(f"%{i}: tensor<300x{t}>" for i, t in enumerate(inputs))
    yields = ", ".join(f"tensor<300x{t}>" for t in results)
    names = ", ".join(f"%r{i}" for i in range(len(results)))
    functions.append((name, [f"tensor<300x{t}>" for t in inputs], [f"tensor<300x{t}>" for t in results]))
    print(f"func.func @{name}({arguments}) -> ({yields}) {{")
    print(before + f"  {names} = {op}")
    print(f"  return {names} : {yields}")
    print("}")


def same(op, count, element):
    operands = ", ".join(f"%{i}" for i in range(count))
    name = op.replace(".", "_") + "_" + element
    elementwise(name, f"{op} {operands} : tensor<300x{element}>", [element] * count, [element])


def convert(op, source, target):
    name = f"{op}_{source}_{target}".replace(".", "_")
    # Only of what the integers have: true is 1 to one of them, and -1 to the other.
    tensor, before, operand = f"tensor<300x{source}>", "", "%0"
    if op == "arith.fptoui" or (op == "arith.fptosi" and target == "i1"):
        before, operand = f"  %p = math.absf %0 : {tensor}\n", "%p"
    if op == "arith.fptosi" and target == "i1":
        before, operand = before + f"  %n = arith.negf %p : {tensor}\n", "%n"
    elementwise(name, f"{op} {operand} : {tensor} to tensor<300x{target}>", [source], [target], before)


def reduce(op, element):
    for name, shape, result, dims in [("rows", "3x70x", "3x", 1), ("all", "70x", "", 0), ("columns", "70x3x", "3x", 0)]:
        functions.append((f"reduce_{name}_{op}_{element}", [f"tensor<{shape}{element}>", f"tensor<{result}{element}>"], [f"tensor<{result}{element}>"]))
        print(f"func.func @reduce_{name}_{op}_{element}(%0: tensor<{shape}{element}>, %1: tensor<{result}{element}>)")
        print(f"    -> tensor<{result}{element}> {{")
        print(f"  %r = linalg.reduce {{ arith.{op} }} ins(%0 : tensor<{shape}{element}>)")
        print(f"         outs(%1 : tensor<{result}{element}>) dimensions = [{dims}]")
        print(f"  return %r : tensor<{result}{element}>")
        print("}")


def floats(element):
    for op in MATH_OF_ONE:
        same(f"math.{op}", 1, element)
    for op in MATH_OF_TWO:
        same(f"math.{op}", 2, element)
    for op in FLOAT_OF_TWO:
        same(f"arith.{op}", 2, element)
    same("arith.negf", 1, element)
    same("math.fma", 3, element)
    tensor = f"tensor<300x{element}>"
    elementwise(f"clampf_{element}", f"math.clampf %0 to [%1, %2] : {tensor}", [element] * 3, [element])
    elementwise(f"sincos_{element}", f"math.sincos %0 : {tensor}", [element], [element] * 2)
    elementwise(f"fpowi_{element}", f"math.fpowi %0, %1 : {tensor}, tensor<300xi32>", [element, "i32"], [element])
    for op in ["isfinite", "isinf", "isnan", "isnormal"]:
        elementwise(f"{op}_{element}", f"math.{op} %0 : {tensor}", [element], ["i1"])
    for predicate in COMPARED:
        op = f"arith.cmpf {predicate}, %0, %1 : {tensor}"
        elementwise(f"cmpf_{predicate}_{element}", op, [element] * 2, ["i1"])
    for other in FLOATS:
        if WIDTH[other] != WIDTH[element]:
            convert("arith.extf" if WIDTH[other] > WIDTH[element] else "arith.truncf", element, other)
    for other in INTEGERS[:-1]:
        for op in ["arith.fptosi", "arith.fptoui"]:
            convert(op, element, other)
        for op in ["arith.sitofp", "arith.uitofp"]:
            convert(op, other, element)
    for op in ["addf", "mulf", "maximumf", "minimumf", "maxnumf", "minnumf"]:
        reduce(op, element)


def of_two_integers(op, element):
    """Neither divides by zero nor shifts by more than there are bits."""
    tensor = f"tensor<300x{element}>"
    change = "arith.ori %1, %c" if "div" in op or "rem" in op else "arith.andi %1, %c" if "sh" in op else ""
    mask = 0 if element == "i1" else int(element[1:]) - 1 if element != "index" else 63
    number = 1 if "ori" in change else mask
    before = f"  %c = arith.constant dense<{number}> : {tensor}\n  %m = {change} : {tensor}\n" if change else ""
    second = "%m" if change else "%1"
    elementwise(f"arith_{op}_{element}", f"arith.{op} %0, {second} : {tensor}", [element] * 2, [element], before)


def integers(element):
    for op in INTEGER_OF_TWO:
        of_two_integers(op, element)
    same("math.ipowi", 2, element)
    if element != "index":
        for op in INTEGER_OF_ONE:
            same(f"math.{op}", 1, element)
    for op in ["addi", "muli", "maxsi", "maxui", "minsi", "minui", "andi", "ori", "xori"]:
        reduce(op, element)


def call_all():
    """The n-th argument of a type is the n-th operand of that type."""
    arguments, calls, names, types = {}, [], [], []
    for number, (name, inputs, results) in enumerate(functions):
        operands = []
        for position, type in enumerate(inputs):
            key = (type, inputs[:position].count(type))
            operands.append(arguments.setdefault(key, f"%a{len(arguments)}"))
        values = [f"%r{number}_{i}" for i in range(len(results))]
        calls.append(f"  {', '.join(values)} = call @{name}({', '.join(operands)}) : ({', '.join(inputs)}) -> ({', '.join(results)})")
        names += values
        types += results
    listed = ", ".join(f"{value}: {type}" for (type, _), value in arguments.items())
    print(f"func.func @every({listed}) -> ({', '.join(types)}) {{")
    print("\n".join(calls))
    print(f"  return {', '.join(names)} : {', '.join(types)}")
    print("}")


for element in sys.argv[1:] or FLOATS + INTEGERS:
    (floats if element in FLOATS else integers)(element)
if len(sys.argv) == 2:
    call_all()
