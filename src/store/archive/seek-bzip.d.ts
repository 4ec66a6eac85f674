/** The package comes without types. */
declare module 'seek-bzip' {
  interface ByteInput {
    readByte(): number
    read(target: Uint8Array, offset: number, length: number): number
    eof(): boolean
  }
  interface ByteOutput {
    writeByte(byte: number): void
    flush(): void
  }
  /** Decodes the input. Throws if it is damaged. */
  export function decode(input: ByteInput, output: ByteOutput, isMultistream: boolean): void
}
