package dev.headway.cli.sweep;

import java.util.List;
import java.util.Map;

/** A part of a plan file, and the line that it begins in, counted from 1. Immutable. */
sealed interface PlanNode {

  int line();

  /** What messages call it. */
  String kind();

  /** A value as it was written, without quotes. */
  record Text(int line, String text) implements PlanNode {
    @Override
    public String kind() {
      return "a value";
    }
  }

  /** A list. */
  record Items(int line, List<PlanNode> nodes) implements PlanNode {
    @Override
    public String kind() {
      return "a list";
    }
  }

  /** Keys with what they hold, in the order of the file; each key begins in the line of its own. */
  record Fields(int line, Map<Text, PlanNode> nodes) implements PlanNode {
    @Override
    public String kind() {
      return "keys";
    }
  }
}
