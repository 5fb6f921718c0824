/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What every V8 says of itself, as a V8 does, for programs that only say so. Where the members of
 * its functions lie each of them says itself. */
#ifndef PMUBPF_WORKLOADS_SAYS_V8_H
#define PMUBPF_WORKLOADS_SAYS_V8_H

#define SAYS(name, value)              \
	extern const int v8dbg_##name; \
	const int v8dbg_##name = (value);

SAYS(class_Map__instance_type__uint16_t, 12)
SAYS(class_String__length__int32_t, 12)
SAYS(class_SeqOneByteString__chars__char, 16)
SAYS(class_ThinString__actual__String, 16)
SAYS(class_ExternalString__resource__Object, 16)
SAYS(class_Script__name__Object, 16)
SAYS(class_Script__source__Object, 8)
SAYS(class_Script__line_ends__Object, 56)
SAYS(FirstNonstringType, 128)
SAYS(scopeinfo_idx_ncontextlocals, 2)
SAYS(scopeinfo_idx_first_vars, 3)
SAYS(off_fp_function, -16)
SAYS(off_fp_context, -8)
SAYS(HeapObjectTag, 1)
SAYS(HeapObjectTagMask, 3)
SAYS(SmiShiftSize, 31)
#ifndef OTHER
SAYS(SmiValueShift, 1)
#endif
SAYS(StringRepresentationMask, 7)
SAYS(SeqStringTag, 0)
SAYS(ConsStringTag, 1)
SAYS(ExternalStringTag, 2)
SAYS(ThinStringTag, 5)
SAYS(StringEncodingMask, 8)
SAYS(OneByteStringTag, 8)
SAYS(off_fp_bytecode_array, -32)
SAYS(off_fp_bytecode_offset, -40)
SAYS(InterpreterBytecodeArrayRegister, 12)
SAYS(InterpreterBytecodeOffsetRegister, 9)
SAYS(class_BytecodeArray__data__uintptr_t, 56)
SAYS(type_BytecodeArray__BYTECODE_ARRAY_TYPE, 310)
SAYS(type_ByteArray__BYTE_ARRAY_TYPE, 311)
#ifdef NEWER
SAYS(class_BytecodeArray__wrapper__Tagged_BytecodeWrapper_, 16)
SAYS(type_TrustedByteArray__TRUSTED_BYTE_ARRAY_TYPE, 312)
#endif

/* Of baseline code, and how long its bytecodes are: two of eight are longer by their operands. */
SAYS(type_Code__CODE_TYPE, 313)
#ifdef NEWER
SAYS(class_Code__wrapper__Tagged_CodeWrapper_, 24)
SAYS(class_Code__instruction_start__Address, 40)
SAYS(class_Code__instruction_size__int, 52)
#else
SAYS(class_Code__bytecode_offset_table__ByteArray, 24)
#endif
/* Of optimised code. */
#ifdef NEWER
SAYS(DeoptimizationDataLiteralArrayIndex, 3)
SAYS(DeoptimizationDataInliningPositionsIndex, 8)
SAYS(class_InstructionStream__instruction_start__uintptr_t, 32)
#else
SAYS(DeoptimizationDataLiteralArrayIndex, 2)
SAYS(DeoptimizationDataInliningPositionsIndex, 7)
SAYS(class_InstructionStream__instruction_start__uintptr_t, 16)
#endif

enum { BYTECODE_NUMBERS = 8 };
extern const unsigned char _ZN2v88internal11interpreter9Bytecodes14kBytecodeSizesE[];
const unsigned char _ZN2v88internal11interpreter9Bytecodes14kBytecodeSizesE[3 * BYTECODE_NUMBERS] =
	{1, 1, 1, 1, 1, 2, 3, 0, 1, 1, 1, 1, 1, 3, 5, 0, 1, 1, 1, 1, 1, 5, 9, 0};

/* V8's own version, by its name in C++. */
extern const int _ZN2v88internal7Version6major_E;
#ifdef NEWER
const int _ZN2v88internal7Version6major_E = 14;
#else
const int _ZN2v88internal7Version6major_E = 13;
#endif

#endif
