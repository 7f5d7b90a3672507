#!/usr/bin/env python3
"""Makes the PTX of kernels, most of which apply one operation to each element.

make_kernels.py math|arithmetic --mlir-opt PATH [--toolkit PATH] [--chip sm_80]
                [--features +ptx80] -o FILE
make_kernels.py file --file IN.mlir ..., which has the kernels itself

A kernel 'exp_f32' takes pointers to its operands and to its result. 'math' are
the functions that come out of CUDA's libdevice, and so need the toolkit;
'arithmetic' is what the compiler emits by itself.
"""
import argparse
import re
import subprocess
import sys

FLOATS = {'f16': 16, 'bf16': 16, 'f32': 32, 'f64': 64}
INTEGERS = {'i1': 1, 'i8': 8, 'i16': 16, 'i32': 32, 'i64': 64}
UNARY = ('acos acosh asin asinh atan atanh cbrt ceil cos cosh erf erfc exp exp2 '
         'expm1 floor log log10 log1p log2 round roundeven rsqrt sin sinh sqrt '
         'tan tanh trunc').split()
ORDERED = 'oeq ogt oge olt ole one ord ueq ugt uge ult ule une uno'.split()
COMPARED = 'eq ne slt sle sgt sge ult ule ugt uge'.split()


def kernel(name, operands, result, body):
    """body is an op of %a, %b, ... that are of the types of `operands`."""
    size = 65536
    names = 'abc'[:len(operands)]
    arguments = ', '.join(
        [f'%{n}s: memref<{size}x{t}>' for n, t in zip(names, operands)] +
        [f'%rs: memref<{size}x{result}>'])
    loads = '\n'.join(f'    %{n} = memref.load %{n}s[%i] : memref<{size}x{t}>'
                      for n, t in zip(names, operands))
    return f'''  gpu.func @{name}({arguments}) kernel {{
    %block = gpu.block_id x
    %threads = gpu.block_dim x
    %thread = gpu.thread_id x
    %first = arith.muli %block, %threads : index
    %i = arith.addi %first, %thread : index
{loads}
    %r = {body}
    memref.store %r, %rs[%i] : memref<{size}x{result}>
    gpu.return
  }}'''


def unary(name, op, operand, result=None):
    result = result or operand
    to = '' if result == operand else f' to {result}'
    return kernel(name, [operand], result, f'{op} %a : {operand}{to}')


def binary(name, op, operand, result=None):
    return kernel(name, [operand] * 2, result or operand,
                  f'{op} %a, %b : {operand}')


def math():
    for t in FLOATS:
        for op in UNARY:
            yield unary(f'{op}_{t}', f'math.{op}', t)
        for op in ('powf', 'atan2'):
            yield binary(f'{op}_{t}', f'math.{op}', t)


def of_floats(t):
    yield unary(f'absf_{t}', 'math.absf', t)
    yield unary(f'negf_{t}', 'arith.negf', t)
    yield binary(f'copysign_{t}', 'math.copysign', t)
    for op in 'addf subf mulf divf maximumf minimumf maxnumf minnumf'.split():
        yield binary(f'{op}_{t}', f'arith.{op}', t)
    yield kernel(f'fma_{t}', [t] * 3, t, f'math.fma %a, %b, %c : {t}')
    yield kernel(f'select_{t}', ['i1', t, t], t,
                 f'arith.select %a, %b, %c : {t}')
    for p in ORDERED:
        yield binary(f'cmpf_{p}_{t}', f'arith.cmpf {p},', t, 'i1')
    for i in INTEGERS:
        if i != 'i1':
            yield unary(f'fptosi_{t}_{i}', 'arith.fptosi', t, i)
            yield unary(f'fptoui_{t}_{i}', 'arith.fptoui', t, i)
            yield unary(f'sitofp_{i}_{t}', 'arith.sitofp', i, t)
        yield unary(f'uitofp_{i}_{t}', 'arith.uitofp', i, t)
    for u, bits in FLOATS.items():
        if FLOATS[t] < bits:
            yield unary(f'extf_{t}_{u}', 'arith.extf', t, u)
            yield unary(f'truncf_{u}_{t}', 'arith.truncf', u, t)


def of_integers(t):
    for op in 'addi subi muli andi ori xori maxsi maxui minsi minui'.split():
        yield binary(f'{op}_{t}', f'arith.{op}', t)
    if t != 'i1':
        for op in 'divsi divui remsi remui shli shrsi shrui'.split():
            yield binary(f'{op}_{t}', f'arith.{op}', t)
        for op in 'ctlz cttz ctpop absi'.split():
            yield unary(f'{op}_{t}', f'math.{op}', t)
    for p in COMPARED:
        yield binary(f'cmpi_{p}_{t}', f'arith.cmpi {p},', t, 'i1')
    for u, bits in INTEGERS.items():
        if INTEGERS[t] < bits:
            yield unary(f'extsi_{t}_{u}', 'arith.extsi', t, u)
            yield unary(f'extui_{t}_{u}', 'arith.extui', t, u)
            yield unary(f'trunci_{u}_{t}', 'arith.trunci', u, t)


def arithmetic():
    for t in FLOATS:
        yield from of_floats(t)
    for t in INTEGERS:
        yield from of_integers(t)


def lower(module, options):
    toolkit = f' toolkit={options.toolkit}' if options.toolkit else ''
    pipeline = (
        f'builtin.module(nvvm-attach-target{{chip={options.chip} '
        f'features={options.features} O=3}},'
        'gpu.module(convert-scf-to-cf,'
        'convert-gpu-to-nvvm{use-bare-ptr-memref-call-conv=1},'
        'convert-math-to-llvm,convert-arith-to-llvm,convert-index-to-llvm),'
        'convert-cf-to-llvm,gpu.module(reconcile-unrealized-casts),'
        f'gpu-module-to-binary{{format=isa{toolkit}}})')
    return subprocess.run([options.mlir_opt, f'--pass-pipeline={pipeline}'],
                          input=module, check=True, text=True,
                          stdout=subprocess.PIPE, encoding='utf-8').stdout


def extract(text):
    """The PTX in the gpu.binary, a string with escapes."""
    literal = re.search(r'gpu\.binary.*?"((?:[^"\\]|\\.)*)"\s*>\s*\]', text)
    return re.sub(r'\\([0-9A-F]{2}|.)',
                  lambda m: (chr(int(m[1], 16)) if len(m[1]) == 2 else m[1]),
                  literal[1]).rstrip('\0')


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('what', choices=['math', 'arithmetic', 'file'])
    parser.add_argument('--file')
    parser.add_argument('--mlir-opt', required=True)
    parser.add_argument('--toolkit')
    parser.add_argument('--chip', default='sm_80')
    parser.add_argument('--features', default='+ptx80')
    parser.add_argument('-o', required=True)
    options = parser.parse_args()
    if options.what == 'file':
        with open(options.file, encoding='utf-8') as f:
            module = f.read()
    else:
        kernels = '\n'.join(math() if options.what == 'math' else arithmetic())
        module = ('module attributes {gpu.container_module} {\n'
                  f'gpu.module @kernels {{\n{kernels}\n}}\n}}\n')
    with open(options.o, 'w', encoding='utf-8') as f:
        f.write(extract(lower(module, options)))


if __name__ == '__main__':
    sys.exit(main())
