package dev.headway.kvcache.wire;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/**
 * A reused buffer that canonical CBOR (RFC 8949, 4.2.1) is written into: of each value the shortest
 * form, lengths in front. Only what block hashes need: arrays, byte strings, texts, ints, null.
 * Fixed capacity; allocates nothing after construction.
 */
final class CborMessage {

  /** Most bytes that a number, or the head of anything, takes. */
  static final int LONGEST_HEAD = 5;

  private static final int UNSIGNED = 0;
  private static final int NEGATIVE = 1;
  private static final int BYTES = 2;
  private static final int TEXT = 3;
  private static final int ARRAY = 4;
  private static final byte NULL = (byte) 0xf6;

  private final byte[] bytes;
  private int size;

  CborMessage(int capacity) {
    bytes = new byte[capacity];
  }

  /** The buffer; {@link #size} bytes of it count. */
  byte[] bytes() {
    return bytes;
  }

  int size() {
    return size;
  }

  CborMessage clear() {
    size = 0;
    return this;
  }

  /** Begins an array; as many values follow. */
  CborMessage array(int length) {
    return head(ARRAY, length);
  }

  CborMessage number(int value) {
    return value >= 0 ? head(UNSIGNED, value) : head(NEGATIVE, -1 - value);
  }

  CborMessage byteString(byte[] content) {
    return head(BYTES, content.length).raw(content);
  }

  /** A text, already in UTF-8. */
  CborMessage text(byte[] utf8) {
    return head(TEXT, utf8.length).raw(utf8);
  }

  CborMessage nothing() {
    bytes[size++] = NULL;
    return this;
  }

  private CborMessage raw(byte[] content) {
    System.arraycopy(content, 0, bytes, size, content.length);
    size += content.length;
    return this;
  }

  private CborMessage head(int major, int value) {
    final int type = major << 5;
    if (value < 24) {
      bytes[size++] = (byte) (type | value);
    } else if (value < 0x100) {
      bytes[size++] = (byte) (type | 24);
      bytes[size++] = (byte) value;
    } else if (value < 0x1_0000) {
      bytes[size++] = (byte) (type | 25);
      bytes[size++] = (byte) (value >>> 8);
      bytes[size++] = (byte) value;
    } else {
      bytes[size++] = (byte) (type | 26);
      bytes[size++] = (byte) (value >>> 24);
      bytes[size++] = (byte) (value >>> 16);
      bytes[size++] = (byte) (value >>> 8);
      bytes[size++] = (byte) value;
    }
    return this;
  }

  /**
   * Returns a text in UTF-8. A lone surrogate is refused: written as a question mark, two different
   * texts would become one.
   *
   * @throws IllegalArgumentException if the text is not well-formed
   */
  static byte[] utf8(String name, String text) {
    try {
      final ByteBuffer encoded = StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(text));
      final byte[] utf8 = new byte[encoded.remaining()];
      encoded.get(utf8);
      return utf8;
    } catch (CharacterCodingException e) {
      throw new IllegalArgumentException(
          name + " must be well-formed Unicode, without lone surrogates: length=" + text.length(),
          e);
    }
  }
}
