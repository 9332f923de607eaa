package dev.headway.cli.serve;

/** How blocks of the KV cache are named. */
enum BlockNaming {
  /** By the engine's own hashes, which are secret. */
  OWN,
  /** As vLLM does with the algorithm of this name. */
  SHA256_CBOR;

  /** Where vLLM takes the seed of its names from, for picocli. */
  static final String SEED = "${env:PYTHONHASHSEED:-vllm-none-hash}";
}
