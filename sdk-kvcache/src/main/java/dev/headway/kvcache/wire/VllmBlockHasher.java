package dev.headway.kvcache.wire;

import dev.headway.api.request.LoraAdapter;
import dev.headway.api.request.MultiModalItem;
import dev.headway.api.request.Request;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Names KV blocks as vLLM 0.28 does with {@code --prefix-caching-hash-algo sha256_cbor}, so that a
 * router, an engine of vLLM and an engine of Headway agree on them.
 *
 * <pre>{@code
 * name(block)     = SHA-256(CBOR([name of the block before, [token ids], extra]))
 * name before all = SHA-256(CBOR(seed))
 * extra           = null, or [LoRA name, [item, offset] ..., salt]: the name in every block, items
 *                   in those that they overlap (offset counts from the block), the salt in the first
 * }</pre>
 *
 * <p>CBOR is the canonical one (RFC 8949, 4.2.1). The seed is the value of {@code PYTHONHASHSEED}
 * in vLLM's environment, or {@value #DEFAULT_SEED} where that is not set; all that are to agree
 * need the same.
 *
 * {@snippet :
 * VllmBlockHashChain chain = VllmBlockHasher.withDefaultSeed(16).chain(request);
 * for (int from = 0; from + 16 <= tokens.length; from += 16) {
 *   chain.append(tokens, from);
 *   send(chain.low64());
 * }
 * }
 *
 * <p>{@link dev.headway.kvcache.BlockHasher#sha256Cbor} names an engine's own blocks so. vLLM
 * hashes prompt embeddings in another way than items. Immutable; any thread.
 */
public final class VllmBlockHasher {

  /** vLLM's seed when {@code PYTHONHASHSEED} is not set. */
  public static final String DEFAULT_SEED = "vllm-none-hash";

  /** Bytes of a name. */
  public static final int DIGEST_BYTES = 32;

  private final int blockSize;
  private final byte[] noneHash;

  private VllmBlockHasher(int blockSize, String seed) {
    if (blockSize < 1) {
      throw new IllegalArgumentException("blockSize must be >= 1: blockSize=" + blockSize);
    }
    this.blockSize = blockSize;
    final byte[] text = CborMessage.utf8("seed", seed);
    final CborMessage message = new CborMessage(CborMessage.LONGEST_HEAD + text.length).text(text);
    final MessageDigest sha256 = sha256();
    sha256.update(message.bytes(), 0, message.size());
    noneHash = sha256.digest();
  }

  /**
   * Returns a hasher with vLLM's own seed.
   *
   * @param blockSize tokens of a block, >= 1
   * @throws IllegalArgumentException if the size is smaller
   */
  public static VllmBlockHasher withDefaultSeed(int blockSize) {
    return new VllmBlockHasher(blockSize, DEFAULT_SEED);
  }

  /**
   * Returns a hasher with the seed that vLLM was given.
   *
   * @param blockSize tokens of a block, >= 1
   * @param seed value of {@code PYTHONHASHSEED}; may be empty
   * @throws IllegalArgumentException if the size is smaller or the seed is not well-formed Unicode
   */
  public static VllmBlockHasher withSeed(int blockSize, String seed) {
    return new VllmBlockHasher(blockSize, seed);
  }

  static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform must have SHA-256", e);
    }
  }

  /** Tokens of a block. */
  public int blockSize() {
    return blockSize;
  }

  /** Returns a copy of the name in front of every first block. */
  public byte[] noneHash() {
    return noneHash.clone();
  }

  /**
   * Begins the chain of a request: its salt, its adapter and its items are those of the names.
   *
   * @throws IllegalArgumentException if a text is not well-formed Unicode
   */
  public VllmBlockHashChain chain(Request request) {
    final LoraAdapter lora = request.lora();
    return chain(lora == null ? null : lora.name(), request.cacheSalt(), request.items());
  }

  /**
   * Begins a chain.
   *
   * @param loraName name of the adapter, or null
   * @param salt null or empty for none
   * @throws IllegalArgumentException if a text is not well-formed Unicode
   */
  public VllmBlockHashChain chain(@Nullable String loraName, @Nullable String salt) {
    return chain(loraName, salt, List.of());
  }

  private VllmBlockHashChain chain(
      @Nullable String loraName, @Nullable String salt, List<MultiModalItem> items) {
    return new VllmBlockHashChain(
        blockSize,
        noneHash,
        loraName == null ? null : CborMessage.utf8("loraName", loraName),
        salt == null || salt.isEmpty() ? null : CborMessage.utf8("salt", salt),
        items);
  }

  /**
   * Goes on behind a block whose name is known; the salt is in the first block's name only.
   *
   * @param digest the name of the block in front, 32 bytes
   * @param loraName name of the adapter, or null
   * @throws IllegalArgumentException if it has another length, or the text is not well-formed
   */
  public VllmBlockHashChain chainBehind(byte[] digest, @Nullable String loraName) {
    if (digest.length != DIGEST_BYTES) {
      throw new IllegalArgumentException(
          "a block's name must have " + DIGEST_BYTES + " bytes: bytes=" + digest.length);
    }
    return new VllmBlockHashChain(
        blockSize,
        digest,
        loraName == null ? null : CborMessage.utf8("loraName", loraName),
        null,
        List.of());
  }

  /**
   * Returns the names of all whole blocks; tokens behind the last whole block have none.
   *
   * @param tokens token ids, >= 0
   * @param loraName name of the adapter, or null
   * @param salt null or empty for none
   * @return names of 32 bytes, in order
   * @throws IllegalArgumentException if a token is negative or a text is not well-formed
   */
  public List<byte[]> hash(int[] tokens, @Nullable String loraName, @Nullable String salt) {
    final VllmBlockHashChain chain = chain(loraName, salt);
    final List<byte[]> names = new ArrayList<>(tokens.length / blockSize);
    for (int from = 0; tokens.length - from >= blockSize; from += blockSize) {
      chain.append(tokens, from);
      names.add(chain.digest());
    }
    return names;
  }
}
