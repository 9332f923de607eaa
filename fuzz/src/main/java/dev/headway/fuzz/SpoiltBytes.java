package dev.headway.fuzz;

import java.util.Arrays;
import java.util.List;
import java.util.Random;

/** Makes inputs of others: bytes changed, cut out, doubled, spliced. Stateless. */
final class SpoiltBytes {

  private static final byte[] TELLING =
      "0123456789{}[]()\",:;.-+eE \n\0\u007f".getBytes(java.nio.charset.StandardCharsets.US_ASCII);

  private SpoiltBytes() {}

  static byte[] of(List<byte[]> inputs, Random random) {
    byte[] bytes = one(inputs, random).clone();
    for (int changes = 1 + random.nextInt(3); changes > 0 && bytes.length > 0; changes--) {
      bytes = changed(bytes, inputs, random);
    }
    return bytes;
  }

  private static byte[] changed(byte[] bytes, List<byte[]> inputs, Random random) {
    final int at = random.nextInt(bytes.length);
    switch (random.nextInt(6)) {
      case 0 -> bytes[at] = TELLING[random.nextInt(TELLING.length)];
      case 1 -> bytes[at] ^= (byte) (1 << random.nextInt(8));
      case 2 -> bytes[at] = (byte) (random.nextBoolean() ? 0xFF : random.nextInt());
      case 3 -> {
        return Arrays.copyOf(bytes, at);
      }
      case 4 -> { // without a part, or with one twice
        final int from = random.nextInt(bytes.length);
        return joined(bytes, from, bytes, at);
      }
      default -> {
        final byte[] other = one(inputs, random);
        return other.length == 0 ? bytes : joined(bytes, at, other, random.nextInt(other.length));
      }
    }
    return bytes;
  }

  /** What is before a place of one, and what is behind a place of another. */
  private static byte[] joined(byte[] head, int headLength, byte[] tail, int tailFrom) {
    final byte[] joined = Arrays.copyOf(head, headLength + tail.length - tailFrom);
    System.arraycopy(tail, tailFrom, joined, headLength, tail.length - tailFrom);
    return joined;
  }

  private static byte[] one(List<byte[]> inputs, Random random) {
    return inputs.get(random.nextInt(inputs.size()));
  }
}
