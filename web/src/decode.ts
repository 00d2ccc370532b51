// Decodes blocks of numbers from base64. Each block is decoded only once.
import type { Block, ScaledBlock } from "./data";

type Words = Uint16Array | Uint32Array | Float32Array;
const decoded = new WeakMap<Block, Words>();

function bytesOf(base64: string): ArrayBuffer {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; ++i) bytes[i] = text.charCodeAt(i);
  return bytes.buffer;
}

export function words(block: Block): Words {
  let found = decoded.get(block);
  if (!found) {
    const bytes = bytesOf(block.data);
    if (block.type === "f32") found = new Float32Array(bytes);
    else found = block.type === "u16" ? new Uint16Array(bytes) : new Uint32Array(bytes);
    decoded.set(block, found);
  }
  return found;
}

// Returns the words of the innermost row of a block at (i, j).
export function row(block: Block, i: number, j: number): Words {
  const [, inner = 1, width = 1] = block.shape;
  const from = (i * inner + j) * width;
  return words(block).subarray(from, from + width);
}

const kMissing = 65535;
const kTop = 65534;

// Returns the innermost row of a scaled block at (i, j) as numbers, with null where there is none.
export function scaledRow(block: ScaledBlock, i: number, j: number): (number | null)[] {
  const low = block.low[i] ?? 0, step = ((block.high[i] ?? 0) - low) / kTop;
  return Array.from(row(block, i, j), (word) => (word === kMissing ? null : low + word * step));
}
