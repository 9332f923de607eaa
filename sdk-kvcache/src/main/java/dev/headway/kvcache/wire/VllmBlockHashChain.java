package dev.headway.kvcache.wire;

import dev.headway.api.kvcache.ItemKey;
import dev.headway.api.request.MultiModalItem;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.security.DigestException;
import java.security.MessageDigest;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The names of one sequence's blocks, one after the other: append a block, read its name. Keeps the
 * last name only. Made by {@link VllmBlockHasher#chain}.
 *
 * <p>Not thread-safe. Appending a block that no item overlaps allocates nothing beyond what the
 * platform's SHA-256 does.
 */
public final class VllmBlockHashChain {

  private static final VarHandle BIG_ENDIAN_LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

  private final int blockSize;
  private final byte @Nullable [] loraName;
  private final byte @Nullable [] salt;
  private List<MultiModalItem> items;
  private final byte[] last;
  private CborMessage message;
  private final MessageDigest sha256 = VllmBlockHasher.sha256();
  private int blocks;

  VllmBlockHashChain(
      int blockSize,
      byte[] noneHash,
      byte @Nullable [] loraName,
      byte @Nullable [] salt,
      List<MultiModalItem> items) {
    this.blockSize = blockSize;
    this.loraName = loraName;
    this.salt = salt;
    this.items = items;
    last = noneHash.clone();
    message = new CborMessage(longestMessage());
  }

  private int longestMessage() {
    final int heads = 6; // the block, its parent, tokens, extra, and two texts
    final int headsOfItem = 3; // a pair, its text, its number
    long longest = CborMessage.LONGEST_HEAD * ((long) heads + blockSize);
    longest += VllmBlockHasher.DIGEST_BYTES;
    longest += loraName == null ? 0 : loraName.length;
    longest += salt == null ? 0 : salt.length;
    for (MultiModalItem item : items) {
      longest += headsOfItem * CborMessage.LONGEST_HEAD + utf8(item.hash()).length;
    }
    return Math.toIntExact(longest);
  }

  /**
   * Names the following blocks with these items: a session has got more of them.
   *
   * @param all those it had first, with places in the whole prompt, and more
   * @throws IllegalArgumentException if the hash of one is not well-formed Unicode
   */
  public void items(List<MultiModalItem> all) {
    if (all.size() != items.size()) {
      items = all;
      message = new CborMessage(longestMessage());
    }
  }

  /** Blocks appended so far. */
  public int blocks() {
    return blocks;
  }

  /**
   * Appends a block.
   *
   * @param tokens token ids, >= 0; a whole block of them from {@code offset} on
   * @throws IndexOutOfBoundsException if there are fewer
   * @throws IllegalArgumentException if one is negative; the chain is as it was
   */
  public void append(int[] tokens, int offset) {
    Objects.checkFromIndexSize(offset, blockSize, tokens.length);
    message.clear().array(3).byteString(last).array(blockSize);
    for (int i = offset; i < offset + blockSize; i++) {
      if (tokens[i] < 0) {
        throw new IllegalArgumentException(
            "token ids must be >= 0: index=" + i + ", tokenId=" + tokens[i]);
      }
      message.number(tokens[i]);
    }
    writeExtra(blocks == 0 ? salt : null);
    sha256.update(message.bytes(), 0, message.size());
    finishInto(last);
    blocks++;
  }

  private void writeExtra(byte @Nullable [] saltOfBlock) {
    final List<ItemKey> keys = ItemKey.ofBlock(items, blocks * blockSize, blockSize);
    final int length = (loraName == null ? 0 : 1) + keys.size() + (saltOfBlock == null ? 0 : 1);
    if (length == 0) {
      message.nothing();
      return;
    }
    message.array(length);
    if (loraName != null) {
      message.text(loraName);
    }
    for (int i = 0; i < keys.size(); i++) {
      final ItemKey key = keys.get(i);
      message.array(2).text(utf8(key.itemHash())).number(key.offset());
    }
    if (saltOfBlock != null) {
      message.text(saltOfBlock);
    }
  }

  private static byte[] utf8(String itemHash) {
    return CborMessage.utf8("hash of an item", itemHash);
  }

  private void finishInto(byte[] target) {
    try {
      sha256.digest(target, 0, target.length);
    } catch (DigestException e) {
      throw new IllegalStateException("SHA-256 must have 32 bytes: length=" + target.length, e);
    }
  }

  /** Returns a copy of the last block's name; before the first block, of the name before all. */
  public byte[] digest() {
    return last.clone();
  }

  /**
   * Copies the last block's name, 32 bytes.
   *
   * @throws IndexOutOfBoundsException if it does not fit
   */
  public void copyDigest(byte[] target, int offset) {
    System.arraycopy(last, 0, target, offset, last.length);
  }

  /**
   * The last block's name as a number: the low 64 bits of the digest, read big-endian. vLLM
   * publishes it in its events where integer block hashes are switched on; it is unsigned there
   * ({@link Long#toUnsignedString(long)}).
   */
  public long low64() {
    return (long) BIG_ENDIAN_LONG.get(last, VllmBlockHasher.DIGEST_BYTES - Long.BYTES);
  }
}
