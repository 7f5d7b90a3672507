"""Programs of any size and of many shapes, for the benchmark of the compiler."""

MESH = "comm.mesh @mesh [dp = 2, tp = 4]\n"
TP = '@mesh["tp"]'
REP = '{comm.replicated = #comm.axes<@mesh["tp"]>}'
T = "tensor<8x8xf32>"
BIG = "tensor<32x8xf32>"


def function(name, arguments, results, body):
    """One function of tensors; results are (value, type) or (value, type, mark)."""
    types = ", ".join(f"{r[1]} {r[2]}" if len(r) > 2 else r[1] for r in results)
    values = ", ".join(r[0] for r in results)
    return (
        f"func.func @{name}({arguments}) -> ({types}) {{\n"
        + "\n".join(body)
        + f"\nreturn {values} : {', '.join(r[1] for r in results)}\n}}\n"
    )


def chain(n):
    """Layers of a matmul, elementwise ops and an all_reduce, one after another."""
    body, x = [f"%zero = arith.constant dense<0.0> : {T}"], "%x"
    for i in range(n // 8):
        body += [
            f"%m{i} = linalg.matmul ins({x}, %w : {T}, {T}) outs(%zero : {T}) -> {T}",
            f"%a{i} = math.tanh %m{i} : {T}",
            f"%b{i} = arith.mulf %a{i}, %w : {T}",
            f"%r{i} = comm.all_reduce sum %b{i} over {TP} : {T}",
            f"%v{i} = comm.vary %r{i} over {TP} : {T}",
            f"%c{i} = arith.addf %v{i}, %a{i} : {T}",
            f"%d{i} = math.exp %c{i} : {T}",
            f"%e{i} = arith.subf %d{i}, {x} : {T}",
        ]
        x = f"%e{i}"
    return MESH + function("f", f"%x: {T}, %w: {T}", [(x, T)], body)


def fanout(n):
    """One value with a use in every second op."""
    body, sum_ = [], "%y"
    for i in range(n // 2):
        body += [
            f"%a{i} = arith.mulf %x, {sum_} : {T}",
            f"%s{i} = math.tanh %a{i} : {T}",
        ]
        sum_ = f"%s{i}"
    return MESH + function("f", f"%x: {T}, %y: {T}", [(sum_, T)], body)


def functions(n):
    """Small functions, each called once from a long one."""
    text, body, x = [MESH], [], "%x"
    for i in range(n // 8):
        text.append(
            function(
                f"g{i}",
                f"%x: {T}, %w: {T} {REP}",
                [("%e", T)],
                [
                    f"%a = math.tanh %x : {T}",
                    f"%b = arith.mulf %a, %w : {T}",
                    f"%c = comm.all_reduce sum %b over {TP} : {T}",
                    f"%d = comm.vary %c over {TP} : {T}",
                    f"%e = arith.addf %d, %x : {T}",
                ],
            ).replace("func.func", "func.func private")
        )
        body.append(f"%r{i} = call @g{i}({x}, %w) : ({T}, {T}) -> {T}")
        x = f"%r{i}"
    text.append(function("f", f"%x: {T}, %w: {T} {REP}", [(x, T)], body))
    return "".join(text)


def callchain(n):
    """Functions that call the next one each. They are linear: residuals of all
    would have to be handed through all."""
    text = [MESH]
    for i in range(n // 4):
        text.append(
            function(
                f"g{i}",
                f"%x: {T}",
                [("%c", T)],
                [
                    f"%a = arith.negf %x : {T}",
                    f"%b = call @g{i + 1}(%a) : ({T}) -> {T}",
                    f"%c = arith.addf %a, %b : {T}",
                ],
            ).replace("func.func", "func.func private")
        )
    last = function(f"g{n // 4}", f"%x: {T}", [("%a", T)], [f"%a = arith.negf %x : {T}"])
    text.append(last.replace("func.func", "func.func private"))
    text.append(
        function("f", f"%x: {T}", [("%a", T)], [f"%a = call @g0(%x) : ({T}) -> {T}"])
    )
    return "".join(text)


def tower(depth):
    """A call tree that doubles at every level."""
    text = [MESH]
    for i in range(depth):
        text.append(
            function(
                f"g{i}",
                f"%x: {T}, %n: i32",
                [("%c", T)],
                [
                    f"%a = math.tanh %x : {T}",
                    f"%b = call @g{i + 1}(%a, %n) : ({T}, i32) -> {T}",
                    f"%c = call @g{i + 1}(%b, %n) : ({T}, i32) -> {T}",
                ],
            ).replace("func.func", "func.func private")
        )
    text.append(
        function(
            f"g{depth}", f"%x: {T}, %n: i32", [("%a", T)], [f"%a = math.tanh %x : {T}"]
        ).replace("func.func", "func.func private")
    )
    body = [
        "%e = tensor.extract %x[%i, %i] : tensor<8x8xf32>",
        "%n = arith.fptosi %e : f32 to i32",
        f"%a = call @g0(%x, %n) : ({T}, i32) -> {T}",
    ]
    text.append(
        function("f", f"%x: {T}, %i: index", [("%a", T)], body)
    )
    return "".join(text)


def nest(depth):
    """Regions of control flow inside each other."""
    body = [f"%r{i} = scf.if %c -> ({T}) {{" for i in range(depth)]
    body.append(f"scf.yield %x : {T}")
    for i in reversed(range(depth)):
        body.append(f"}} else {{ scf.yield %x : {T} }}")
        if i:
            body.append(f"scf.yield %r{i} : {T}")
    return MESH + function("f", f"%c: i1, %x: {T}", [("%r0", T)], body)


def varies(n):
    """Replicated values that are used as varying ones: an inserted vary each."""
    body, x = [], "%x"
    for i in range(n // 4):
        body += [
            f"%a{i} = math.tanh %w{'' if i == 0 else i - 1} : {T}",
            f"%b{i} = arith.mulf %a{i}, {x} : {T}",
            f"%c{i} = comm.all_reduce sum %b{i} over {TP} : {T}",
            f"%w{i} = arith.addf %c{i}, %a{i} : {T}",
        ]
        x = f"%b{i}"
    return MESH + function(
        "f", f"%x: {T}, %w: {T} {REP}", [(f"%w{n // 4 - 1}", T, REP)], body
    )


def arguments(n):
    """A function of many arguments and results."""
    numbers = range(n // 2)
    marks = ["" if i % 2 else " " + REP for i in numbers]
    body = [f"%r{i} = math.tanh %a{i} : {T}" for i in numbers]
    body += [f"%s{i} = math.exp %r{i} : {T}" for i in numbers]
    return MESH + function(
        "f",
        ", ".join(f"%a{i}: {T}{marks[i]}" for i in numbers),
        [(f"%s{i}", T, marks[i]) for i in numbers],
        body,
    )


def laws(n):
    """All laws that a backward meets: sums, scatters, slices, products, masks."""
    body, x = [], "%x"
    for i in range(n // 10):
        body += [
            f"%g{i} = comm.all_gather {x} dim 0 over {TP} : {T} -> {BIG}",
            f"%h{i} = arith.mulf %g{i}, %w : {BIG}",
            f"%s{i} = comm.reduce_scatter sum %h{i} dim 0 over {TP} : {BIG} -> {T}",
            f"%r{i} = comm.all_reduce sum %s{i} over {TP} : {T}",
            f"%q{i} = comm.all_reduce sum {x} over {TP} : {T}",
            f"%t{i} = arith.addf %r{i}, %q{i} : {T}",
            f"%b{i} = comm.broadcast %s{i} root 1 over {TP} : {T}",
            f"%m{i} = comm.root_mask %b{i} root 1 over {TP} : {T}",
            f"%v{i} = comm.vary %t{i} over {TP} : {T}",
            f"%e{i} = arith.addf %v{i}, %m{i} : {T}",
        ]
        x = f"%e{i}"
    return MESH + function("f", f"%x: {T}, %w: {BIG} {REP}", [(x, T)], body)


def gathers(n):
    """Parameters in shards: gathered, used and reduced, one layer each."""
    body, x = [f"%zero = arith.constant dense<0.0> : {T}"], "%x"
    shard = "tensor<2x8xf32>"
    for i in range(n // 4):
        body += [
            f"%g{i} = comm.all_gather %w dim 0 over {TP} : {shard} -> {T}",
            f"%h{i} = arith.mulf %g{i}, {x} : {T}",
            f"%e{i} = math.tanh %h{i} : {T}",
            f"%s{i} = arith.addf %e{i}, {x} : {T}",
        ]
        x = f"%s{i}"
    return MESH + function("f", f"%x: {T}, %w: {shard}", [(x, T)], body)


def skips(n):
    """A net in the shape of a U: every first half's value is used in the second."""
    body, x, half = [], "%x", n // 6
    for i in range(half):
        body += [
            f"%d{i} = math.tanh {x} : {T}",
            f"%r{i} = comm.all_reduce sum %d{i} over {TP} : {T}",
            f"%v{i} = comm.vary %r{i} over {TP} : {T}",
        ]
        x = f"%v{i}"
    for i in reversed(range(half)):
        body += [
            f"%a{i} = arith.mulf {x}, %r{i} : {T}",
            f"%b{i} = comm.all_reduce sum %a{i} over {TP} : {T}",
            f"%u{i} = comm.vary %b{i} over {TP} : {T}",
        ]
        x = f"%u{i}"
    return MESH + function("f", f"%x: {T}", [(x, T)], body)


def generics(n):
    """linalg.generic ops with a body of five ops."""
    body, x = [], "%x"
    for i in range(n // 7):
        body += [
            "%g" + str(i) + " = linalg.generic {indexing_maps = ["
            "affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j, i)>, "
            "affine_map<(i, j) -> (i, j)>], "
            'iterator_types = ["parallel", "parallel"]} '
            f"ins({x}, %w : {T}, {T}) outs(%x : {T}) {{",
            "^bb0(%p: f32, %q: f32, %o: f32):",
            "%1 = arith.mulf %p, %q : f32",
            "%2 = math.tanh %1 : f32",
            "%3 = arith.addf %2, %p : f32",
            "%4 = math.exp %3 : f32",
            "%5 = arith.divf %4, %3 : f32",
            "linalg.yield %5 : f32",
            f"}} -> {T}",
        ]
        x = f"%g{i}"
    return MESH + function("f", f"%x: {T}, %w: {T}", [(x, T)], body)


def body(n):
    """One linalg.generic with a long body."""
    lines = [
        "%g = linalg.generic {indexing_maps = ["
        "affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], "
        'iterator_types = ["parallel", "parallel"]} '
        f"ins(%x : {T}) outs(%x : {T}) {{",
        "^bb0(%p: f32, %o: f32):",
    ]
    x = "%p"
    for i in range(n // 2):
        lines += [f"%a{i} = math.tanh {x} : f32", f"%b{i} = arith.mulf %a{i}, %p : f32"]
        x = f"%b{i}"
    lines += [f"linalg.yield {x} : f32", f"}} -> {T}"]
    return MESH + function("f", f"%x: {T}", [("%g", T)], lines)


def views(n):
    """Views of views of a value, the last of which the backward reads."""
    dynamic = T.replace("<8x", "<?x")
    body, x = [], "%x"
    for i in range(n // 2):
        body += [
            f"%a{i} = tensor.cast {x} : {T} to {dynamic}",
            f"%b{i} = tensor.cast %a{i} : {dynamic} to {T}",
        ]
        x = f"%b{i}"
    body.append(f"%y = arith.mulf {x}, {x} : {T}")
    return MESH + function("f", f"%x: {T}", [("%y", T)], body)


def messages(n):
    """Stages of a pipeline that hand values on, several in flight."""
    body, x = [], "%x"
    for i in range(n // 6):
        a, b = i % 4, (i + 1) % 4
        c = (i + 2) % 4
        body += [
            f"%a{i} = math.tanh {x} : {T}",
            f"%m{i} = comm.send %a{i} from {a} to {b} over {TP} : {T} -> !comm.message<{T}>",
            f"%n{i} = comm.send %a{i} from {b} to {c} over {TP} : {T} -> !comm.message<{T}>",
            f"%r{i} = comm.recv %m{i} : !comm.message<{T}> -> {T}",
            f"%q{i} = comm.recv %n{i} : !comm.message<{T}> -> {T}",
            f"%s{i} = arith.addf %r{i}, %q{i} : {T}",
        ]
        x = f"%s{i}"
    return MESH + function("f", f"%x: {T}", [(x, T)], body)


SHAPES = {
    f.__name__: f
    for f in (
        chain, fanout, functions, callchain, varies, arguments, laws, gathers,
        skips, generics, body, messages,
    )
}
# What the figures of the whole are about; the others are there to find what is
# not linear.
GENERATORS = dict(SHAPES, tower=tower, nest=nest, views=views)
