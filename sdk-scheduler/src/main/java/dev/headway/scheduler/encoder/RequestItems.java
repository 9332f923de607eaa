package dev.headway.scheduler.encoder;

import dev.headway.api.request.MultiModalItem;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.IntStream;

/**
 * The items of one request that the encoder computes, and to which outputs it refers: to a content
 * once, even if several of its items have it. The first of those that is done ends the reference,
 * as in vLLM; the others take a new one when they go on. Engine thread only.
 */
public final class RequestItems {

  private final MultiModalItem[] items;
  private final EncodedItem[] encoded;

  /** For each item, the first with the same content. */
  private final int[] first;

  /** By that one, the generation of the output that the request refers to; 0 for none. */
  private final long[] held;

  /** For which items it has come to refer to their output, and has not done with them. */
  private final boolean[] needs;

  private int needed;

  /** Index of each item in the request. */
  private final int[] numbers;

  RequestItems(List<MultiModalItem> all, Function<String, EncodedItem> intern) {
    numbers =
        IntStream.range(0, all.size()).filter(number -> all.get(number).embeddings() > 0).toArray();
    items = new MultiModalItem[numbers.length];
    encoded = new EncodedItem[numbers.length];
    first = new int[numbers.length];
    held = new long[numbers.length];
    needs = new boolean[numbers.length];
    final Map<String, Integer> seen = new HashMap<>();
    for (int index = 0; index < numbers.length; index++) {
      items[index] = all.get(numbers[index]);
      final Integer before = seen.putIfAbsent(items[index].hash(), index);
      first[index] = before == null ? index : before;
      encoded[index] = intern.apply(items[index].hash());
      encoded[index].users++;
    }
  }

  /** Number of items that the encoder computes. */
  public int count() {
    return items.length;
  }

  /** Index of one of them among all items of the request. */
  public int number(int index) {
    return numbers[index];
  }

  /** Position of its first token. */
  public int offset(int index) {
    return items[index].offset();
  }

  /** Position behind its last token. */
  public int end(int index) {
    return items[index].end();
  }

  /** Position behind the last token of all. */
  public int end() {
    return items.length == 0 ? 0 : items[items.length - 1].end();
  }

  /** Slots that its output takes. */
  public int embeddings(int index) {
    return items[index].embeddings();
  }

  /** Whether a token in [from, to) is an embedding of it. */
  public boolean hasEmbeddingIn(int index, int from, int to) {
    return items[index].hasEmbeddingIn(from, to);
  }

  /** Whether two items have the same content. */
  public boolean isSame(int index, int other) {
    return encoded[index] == encoded[other];
  }

  /** Whether the request refers to the output of an item. */
  public boolean refersTo(int index) {
    return held[first[index]] == encoded[index].generation;
  }

  /** Whether it refers to the output of a content; for tests and diagnosis. */
  public boolean refersTo(String hash) {
    return IntStream.range(0, items.length)
        .anyMatch(index -> items[index].hash().equals(hash) && refersTo(index));
  }

  /** The item that needs the output of {@code other}'s at {@code at}; -1 if none does. */
  public int neededBy(RequestItems other, int at) {
    for (int index = 0; index < items.length; index++) {
      if (encoded[index] == other.encoded[at] && needs[index] && refersTo(index)) {
        return index;
      }
    }
    return -1;
  }

  /** Whether an output is needed for any item. */
  public boolean needsAny() {
    return needed > 0;
  }

  EncodedItem item(int index) {
    return encoded[index];
  }

  boolean needs(int index) {
    return needs[index];
  }

  /** The request refers to the output of an item, for its sake. */
  void hold(int index) {
    needed += needs[index] ? 0 : 1;
    needs[index] = true;
    held[first[index]] = encoded[index].generation;
  }

  /** The request refers to it no longer. */
  void drop(int index) {
    needed -= needs[index] ? 1 : 0;
    needs[index] = false;
    held[first[index]] = 0;
  }
}
