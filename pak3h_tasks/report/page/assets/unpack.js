// Data of the page: gzipped JSON in base64, unpacked when it is asked for.

const unpackedBlocks = new Map();

const unpack = (key) => {
  if (!unpackedBlocks.has(key)) unpackedBlocks.set(key, readBlock(document.getElementById(`block-${key}`).textContent));
  return unpackedBlocks.get(key);
};

const readBlock = async (text) => {
  if (typeof DecompressionStream === "undefined") throw new Error("this browser is too old to unpack the samples");
  const packed = Uint8Array.from(atob(text.trim()), (char) => char.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).json();
};
