package dev.headway.testkit;

import dev.headway.api.step.EncoderInputs;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The items that a {@link FakePlan} encodes. */
final class FakeEncoderInputs implements EncoderInputs {

  private final FakePlan plan;
  private final Map<Integer, int[]> items = new TreeMap<>();
  private final List<String> dropped = new ArrayList<>();

  FakeEncoderInputs(FakePlan plan) {
    this.plan = plan;
  }

  void encode(int entry, int[] itemsOfEntry) {
    items.put(entry, itemsOfEntry.clone());
  }

  void drop(String[] hashes) {
    dropped.addAll(List.of(hashes));
  }

  @Override
  public int total() {
    int total = 0;
    if (!items.isEmpty()) { // most plans have none: allocates nothing
      for (int[] itemsOfEntry : items.values()) {
        total += itemsOfEntry.length;
      }
    }
    return total;
  }

  @Override
  public int embeddings() {
    int embeddings = 0;
    for (Map.Entry<Integer, int[]> entry : items.entrySet()) {
      for (int item : entry.getValue()) {
        embeddings += plan.request(entry.getKey()).request().items().get(item).embeddings();
      }
    }
    return embeddings;
  }

  @Override
  public int count(int entry) {
    return items.getOrDefault(entry, new int[0]).length;
  }

  @Override
  public int item(int entry, int index) {
    return items.getOrDefault(entry, new int[0])[index];
  }

  @Override
  public int droppedCount() {
    return dropped.size();
  }

  @Override
  public String dropped(int index) {
    return dropped.get(index);
  }
}
