package dev.headway.serving.tokenizer;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;

/**
 * A token for each byte of UTF-8, and one that ends a sequence. For models without a text of their
 * own: whatever they answer is gibberish, but every text can be asked.
 */
public final class ByteTokenizer implements Tokenizer {

  /** Ends a sequence; it has no text. */
  public static final int EOS = 256;

  /** Bytes, and the end of a sequence. */
  public static final int VOCABULARY_SIZE = 257;

  /** Needs nothing. */
  public ByteTokenizer() {}

  @Override
  public String name() {
    return "bytes of UTF-8";
  }

  @Override
  public int vocabularySize() {
    return VOCABULARY_SIZE;
  }

  @Override
  public int[] encode(String text, SpecialTokens special) {
    final byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    final int[] ids = new int[bytes.length];
    for (int i = 0; i < ids.length; i++) {
      ids[i] = bytes[i] & 0xff;
    }
    return ids;
  }

  @Override
  public boolean isSpecial(int tokenId) {
    return tokenId >= EOS;
  }

  @Override
  public byte[] bytes(int tokenId) {
    return tokenId < EOS
        ? new byte[] {(byte) tokenId}
        : "<eos>".getBytes(StandardCharsets.US_ASCII);
  }

  @Override
  public TextDecoder decoder(int[] prompt) {
    return new Utf8Decoder();
  }

  /** Characters of a stream of bytes. */
  private static final class Utf8Decoder implements TextDecoder {

    private final CharsetDecoder utf8 =
        StandardCharsets.UTF_8
            .newDecoder()
            .onMalformedInput(CodingErrorAction.REPLACE)
            .onUnmappableCharacter(CodingErrorAction.REPLACE);
    private final ByteBuffer bytes = ByteBuffer.allocate(8); // a character is never longer than 4
    private final CharBuffer chars = CharBuffer.allocate(16);

    @Override
    public String push(int tokenId) {
      if (tokenId >= EOS) {
        return "";
      }
      bytes.put((byte) tokenId).flip();
      utf8.decode(bytes, chars, false);
      bytes.compact();
      return taken();
    }

    @Override
    public String finish() {
      bytes.flip();
      utf8.decode(bytes, chars, true);
      utf8.flush(chars);
      return taken();
    }

    private String taken() {
      final String text = chars.flip().toString();
      chars.clear();
      return text;
    }
  }
}
