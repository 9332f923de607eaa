package dev.headway.serving.tokenizer;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.BitSet;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;

/** The vocabulary of a {@code tokenizer.json}, each token as its bytes. */
final class Pieces {

  /** How a vocabulary writes bytes. */
  enum Kind {
    /** Every byte as a printable character, as GPT-2 and its followers. */
    BYTE_LEVEL,
    /** U+2581 for a blank, {@code <0xF0>} for a byte that is in no other token. */
    SENTENCE_PIECE
  }

  private static final Pattern BYTE = Pattern.compile("<0x[0-9A-Fa-f]{2}>");
  private static final String[] NO_PIECES = {};
  private static final char BLANK = '\u2581';
  private static final int MOST_PIECES = 1 << 24;

  /** GPT-2's character of each byte that is not printable itself. */
  private static final int FIRST_STAND_IN = 256;

  private final String[] pieces;
  private final Kind kind;
  private final BitSet added;
  private final BitSet special;
  private final byte[] byteOf = new byte[FIRST_STAND_IN + 256];

  private Pieces(String[] pieces, Kind kind, BitSet added, BitSet special) {
    this.pieces = pieces;
    this.kind = kind;
    this.added = added;
    this.special = special;
    int standIn = FIRST_STAND_IN;
    for (int value = 0; value < 256; value++) {
      byteOf[isPrintable(value) ? value : standIn++] = (byte) value;
    }
  }

  private static boolean isPrintable(int value) {
    return (value >= '!' && value <= '~')
        || (value >= 0xa1 && value <= 0xac)
        || (value >= 0xae && value <= 0xff);
  }

  static Pieces of(JsonNode tokenizer) {
    final JsonNode vocabulary = tokenizer.path("model").path("vocab");
    String[] pieces = NO_PIECES;
    if (vocabulary.isArray()) {
      for (int id = 0; id < vocabulary.size(); id++) {
        pieces = with(pieces, id, vocabulary.path(id).path(0).asString());
      }
    } else {
      for (var entry : vocabulary.properties()) {
        pieces = with(pieces, entry.getValue().asInt(), entry.getKey());
      }
    }
    final BitSet added = new BitSet();
    final BitSet special = new BitSet();
    for (JsonNode token : tokenizer.path("added_tokens")) {
      final int id = token.path("id").asInt();
      pieces = with(pieces, id, token.path("content").asString());
      added.set(id);
      special.set(id, token.path("special").asBoolean(false));
    }
    int size = pieces.length;
    while (size > 0 && pieces[size - 1].isEmpty()) {
      size--;
    }
    final boolean byteLevel = tokenizer.path("decoder").toString().contains("ByteLevel");
    return new Pieces(
        Arrays.copyOf(pieces, size),
        byteLevel ? Kind.BYTE_LEVEL : Kind.SENTENCE_PIECE,
        added,
        special);
  }

  private static String[] with(String[] pieces, int id, String piece) {
    if (id < 0 || id >= MOST_PIECES) {
      throw new IllegalArgumentException(
          "a token's id must be in [0, " + MOST_PIECES + "): id=" + id + ", token=" + piece);
    }
    String[] room = pieces;
    if (id >= pieces.length) {
      room = Arrays.copyOf(pieces, Math.max(id + 1, 2 * pieces.length));
      Arrays.fill(room, pieces.length, room.length, "");
    }
    room[id] = piece;
    return room;
  }

  int size() {
    return pieces.length;
  }

  Kind kind() {
    return kind;
  }

  /** Returns a token's bytes; none for an id that the vocabulary leaves out. */
  byte[] bytes(int tokenId) {
    final String piece = tokenId < pieces.length ? pieces[tokenId] : "";
    if (added.get(tokenId)) {
      return piece.getBytes(StandardCharsets.UTF_8); // it is written as it is
    }
    return kind == Kind.BYTE_LEVEL ? byteLevel(piece) : sentencePiece(piece);
  }

  boolean isSpecial(int tokenId) {
    return special.get(tokenId);
  }

  private byte[] byteLevel(String piece) {
    final ByteArrayOutputStream bytes = new ByteArrayOutputStream(piece.length());
    for (int i = 0; i < piece.length(); i++) {
      final char c = piece.charAt(i);
      if (c >= byteOf.length) {
        return piece.getBytes(StandardCharsets.UTF_8);
      }
      bytes.write(byteOf[c]);
    }
    return bytes.toByteArray();
  }

  private static byte[] sentencePiece(String piece) {
    if (BYTE.matcher(piece).matches()) {
      return new byte[] {(byte) Integer.parseInt(piece, 3, 5, 16)};
    }
    return piece.replace(BLANK, ' ').getBytes(StandardCharsets.UTF_8);
  }
}
