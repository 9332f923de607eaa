package dev.headway.kvcache.disk;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Which blocks are in files, the least recently used first, and how many bytes these take. A block
 * that is pinned stays until it is not. Any thread: the lock is held for changes of maps only,
 * never while a file is touched, so that the engine's thread does not wait for a disk.
 */
final class BlockIndex {

  /** A block in a file. */
  static final class Entry {
    private final String name;
    private final long bytes;
    private int pins;

    private Entry(String name, long bytes) {
      this.name = name;
      this.bytes = bytes;
    }

    String name() {
      return name;
    }

    long bytes() {
      return bytes;
    }
  }

  private final long maxBytes;
  private final Map<String, Entry> entries = new LinkedHashMap<>(16, 0.75f, true);
  private final Set<String> saving = new HashSet<>();
  private final Map<String, Long> reserved = new HashMap<>();
  private long usedBytes;

  /**
   * Has nothing.
   *
   * @param maxBytes of all files together
   */
  BlockIndex(long maxBytes) {
    this.maxBytes = maxBytes;
  }

  /** A block's file was found. */
  synchronized void add(String name, long bytes) {
    entries.put(name, new Entry(name, bytes));
    usedBytes += bytes;
  }

  /** Makes a block stay; it is the most recently used then. Returns null if it is not there. */
  synchronized @Nullable Entry pin(String name) {
    final Entry entry = entries.get(name);
    if (entry != null) {
      entry.pins++;
    }
    return entry;
  }

  /** Takes a pin back. */
  synchronized void unpin(Entry entry) {
    entry.pins--;
  }

  /** Whether a block is to be saved: then it is being saved from now on. */
  synchronized boolean beginSave(String name) {
    return !entries.containsKey(name) && saving.add(name);
  }

  /** Whether so many bytes more would be within the bound: then they are taken, for a block. */
  synchronized boolean reserve(String name, long bytes) {
    if (usedBytes + bytes > maxBytes) {
      return false;
    }
    reserved.put(name, bytes);
    usedBytes += bytes;
    return true;
  }

  /** A block is in its file; its bytes were reserved. */
  synchronized void saved(String name) {
    saving.remove(name);
    final Long bytes = reserved.remove(name);
    entries.put(name, new Entry(name, bytes == null ? 0 : bytes));
  }

  /** A block is in no file; what was reserved for it is free. */
  synchronized void notSaved(String name) {
    saving.remove(name);
    final Long bytes = reserved.remove(name);
    usedBytes -= bytes == null ? 0 : bytes;
  }

  /**
   * Takes the least recently used block that is not pinned out: no lookup finds it. Its bytes count
   * until {@link #deleted}. Returns null if there is none.
   */
  synchronized @Nullable Entry evict() {
    final Iterator<Entry> eldest = entries.values().iterator();
    while (eldest.hasNext()) {
      final Entry entry = eldest.next();
      if (entry.pins == 0) {
        eldest.remove();
        return entry;
      }
    }
    return null;
  }

  /** Takes a block out whose file is of no use. Returns whether it was there. */
  synchronized boolean discard(Entry entry) {
    return entries.remove(entry.name, entry);
  }

  /** The file of a block that was taken out is gone. */
  synchronized void deleted(Entry entry) {
    usedBytes -= entry.bytes;
  }

  synchronized int blocks() {
    return entries.size();
  }

  synchronized long usedBytes() {
    return usedBytes;
  }

  /** Whether more bytes are used than may be, as after a start with a smaller bound. */
  synchronized boolean isOver() {
    return usedBytes > maxBytes;
  }
}
