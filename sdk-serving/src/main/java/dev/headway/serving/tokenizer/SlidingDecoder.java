package dev.headway.serving.tokenizer;

import java.util.Arrays;
import java.util.function.Function;

/**
 * Decodes a few tokens at a time, each time together with some before them: how a token reads
 * depends on its neighbours (a leading blank, a character in several tokens). As vLLM's and
 * text-generation-inference's incremental detokenisation: text is certain once it no longer ends in
 * an incomplete character.
 */
final class SlidingDecoder implements TextDecoder {

  private static final int CONTEXT_TOKENS = 5;
  private static final int LONGEST_CHARACTER_TOKENS = 8;
  private static final String INCOMPLETE = "\ufffd";

  private final Function<long[], String> decode;
  private long[] ids = new long[32];
  private int size;
  private int prefix;
  private int read;

  SlidingDecoder(Function<long[], String> decode, int[] prompt) {
    this.decode = decode;
    final int from = Math.max(0, prompt.length - CONTEXT_TOKENS);
    for (int i = from; i < prompt.length; i++) {
      ids[size++] = prompt[i];
    }
    this.read = size;
  }

  @Override
  public String push(int tokenId) {
    if (size == ids.length) {
      makeRoom();
    }
    ids[size++] = tokenId;
    final String before = text(read);
    final String now = text(size);
    final boolean open = now.endsWith(INCOMPLETE) && size - read < LONGEST_CHARACTER_TOKENS;
    return open || now.length() <= before.length() ? "" : advance(before, now);
  }

  @Override
  public String finish() {
    final String before = text(read);
    final String now = text(size);
    return now.length() <= before.length() ? "" : advance(before, now);
  }

  private String advance(String before, String now) {
    prefix = read;
    read = size;
    return now.substring(before.length());
  }

  private String text(int to) {
    return prefix == to ? "" : decode.apply(Arrays.copyOfRange(ids, prefix, to));
  }

  private void makeRoom() {
    final int kept = size - prefix;
    final long[] target = kept * 2 > ids.length ? new long[ids.length * 2] : ids;
    System.arraycopy(ids, prefix, target, 0, kept);
    ids = target;
    read -= prefix;
    size = kept;
    prefix = 0;
  }
}
