package dev.headway.executor.model;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** A file of weights in memory, of which the system reads what is looked at. Stateless. */
final class MappedFile {

  private MappedFile() {}

  /**
   * Maps a file for the life of {@code arena}.
   *
   * @throws ModelFormatException if it is not there, or cannot be mapped
   */
  static MemorySegment open(Path path, Arena arena) {
    try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
      return channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size(), arena);
    } catch (NoSuchFileException e) {
      throw new ModelFormatException(path, null, "file must exist", e);
    } catch (IOException e) {
      throw new ModelFormatException(path, null, "file cannot be mapped: " + e, e);
    }
  }
}
