package dev.headway.routing.policy.tree;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * Sequences of token ids or code points by tenant, in one radix tree: which part of a sequence each
 * tenant was given before.
 *
 * <p>A tenant that holds a node holds all nodes above it. Each tenant is held to a number of units;
 * beyond it, the ends of what it was given longest ago are dropped. One thread.
 */
final class TenantTree {

  private static final double KEPT_BY_EVICTION = 0.9;
  private static final int[] NOTHING = {};

  private final Node root = new Node(NOTHING, null);
  private final long maxUnitsPerTenant;
  private long[] unitsOf = new long[4];
  private long epoch;

  /** Some consecutive units, and when each tenant was last given them; 0 for never. */
  private static final class Node {
    private int[] span;
    private @Nullable Node parent;
    private long[] epochs = {};
    private Map<Integer, Node> children = Map.of();

    private Node(int[] span, @Nullable Node parent) {
      this.span = span;
      this.parent = parent;
    }

    private long epochOf(int tenant) {
      return tenant < epochs.length ? epochs[tenant] : 0;
    }

    private void stamp(int tenant, long epoch) {
      if (tenant >= epochs.length) {
        epochs = Arrays.copyOf(epochs, tenant + 1);
      }
      epochs[tenant] = epoch;
    }

    private void put(Node child) {
      if (children.isEmpty()) {
        children = new HashMap<>(2);
      }
      child.parent = this;
      children.put(child.span[0], child);
    }

    private boolean isLeafOf(int tenant) {
      if (epochOf(tenant) == 0) {
        return false;
      }
      for (Node child : children.values()) {
        if (child.epochOf(tenant) != 0) {
          return false;
        }
      }
      return true;
    }

    private boolean isUnheld() {
      for (long each : epochs) {
        if (each != 0) {
          return false;
        }
      }
      return true;
    }
  }

  /**
   * Makes an empty tree.
   *
   * @param maxUnitsPerTenant units held for each tenant at most, >= 1
   */
  TenantTree(long maxUnitsPerTenant) {
    this.maxUnitsPerTenant = maxUnitsPerTenant;
  }

  /** Units held for a tenant. */
  long units(int tenant) {
    return tenant < unitsOf.length ? unitsOf[tenant] : 0;
  }

  /**
   * Raises {@code matched} to the units from the start of {@code sequence} that each tenant holds.
   *
   * @param matched by tenant; tenants beyond its length are not answered
   */
  void match(int[] sequence, int[] matched) {
    Node node = root;
    int at = 0;
    while (at < sequence.length) {
      final Node child = node.children.get(sequence[at]);
      if (child == null) {
        return;
      }
      final int common = common(child.span, sequence, at);
      at += common;
      final int tenants = Math.min(matched.length, child.epochs.length);
      for (int tenant = 0; tenant < tenants; tenant++) {
        if (child.epochs[tenant] != 0) {
          matched[tenant] = at;
        }
      }
      if (common < child.span.length) {
        return;
      }
      node = child;
    }
  }

  /** Adds a sequence that a tenant was given now. */
  void insert(int[] sequence, int tenant) {
    epoch++;
    Node node = root;
    int at = 0;
    while (at < sequence.length) {
      Node child = node.children.get(sequence[at]);
      if (child == null) {
        child = new Node(Arrays.copyOfRange(sequence, at, sequence.length), node);
        node.put(child);
      } else {
        final int common = common(child.span, sequence, at);
        if (common < child.span.length) {
          child = split(child, common);
        }
      }
      hold(child, tenant);
      at += child.span.length;
      node = child;
    }
    if (units(tenant) > maxUnitsPerTenant) {
      evict(tenant, (long) (maxUnitsPerTenant * KEPT_BY_EVICTION));
    }
  }

  /** Forgets a tenant, whose number may be used again. */
  void removeTenant(int tenant) {
    evict(tenant, 0);
  }

  private void hold(Node node, int tenant) {
    if (node.epochOf(tenant) == 0) {
      if (tenant >= unitsOf.length) {
        unitsOf = Arrays.copyOf(unitsOf, 2 * tenant + 1);
      }
      unitsOf[tenant] += node.span.length;
    }
    node.stamp(tenant, epoch);
  }

  /** Cuts a node in two, and returns the upper one. */
  private static Node split(Node lower, int at) {
    final Node above = parentOf(lower);
    final Node upper = new Node(Arrays.copyOf(lower.span, at), above);
    upper.epochs = lower.epochs.clone();
    lower.span = Arrays.copyOfRange(lower.span, at, lower.span.length);
    above.put(upper);
    upper.put(lower);
    return upper;
  }

  private static int common(int[] span, int[] sequence, int at) {
    final int length = Math.min(span.length, sequence.length - at);
    final int mismatch = Arrays.mismatch(span, 0, length, sequence, at, at + length);
    return mismatch < 0 ? length : mismatch;
  }

  private void evict(int tenant, long leave) {
    final PriorityQueue<Node> oldest =
        new PriorityQueue<>(Comparator.comparingLong(node -> node.epochOf(tenant)));
    oldest.addAll(leavesOf(tenant));
    while (units(tenant) > leave) {
      final Node leaf = oldest.remove();
      final Node above = parentOf(leaf);
      drop(leaf, tenant, leave);
      if (above != root && above.isLeafOf(tenant)) {
        oldest.add(above);
      }
    }
  }

  /** Drops a leaf, or only its end if no other tenant holds it and more need not go. */
  private void drop(Node leaf, int tenant, long leave) {
    final long surplus = unitsOf[tenant] - leave;
    if (surplus < leaf.span.length) {
      split(leaf, leaf.span.length - (int) surplus);
    }
    unitsOf[tenant] -= leaf.span.length;
    leaf.stamp(tenant, 0);
    if (leaf.children.isEmpty() && leaf.isUnheld()) {
      parentOf(leaf).children.remove(leaf.span[0]);
    }
  }

  private List<Node> leavesOf(int tenant) {
    final List<Node> leaves = new ArrayList<>();
    final Deque<Node> open = new ArrayDeque<>(root.children.values());
    while (!open.isEmpty()) {
      final Node node = open.remove();
      if (node.epochOf(tenant) == 0) {
        continue; // nor is anything below it held
      }
      if (node.isLeafOf(tenant)) {
        leaves.add(node);
      } else {
        open.addAll(node.children.values());
      }
    }
    return leaves;
  }

  private static Node parentOf(Node node) {
    final Node parent = node.parent;
    if (parent == null) {
      throw new IllegalStateException("the root of a prefix tree has no parent");
    }
    return parent;
  }
}
