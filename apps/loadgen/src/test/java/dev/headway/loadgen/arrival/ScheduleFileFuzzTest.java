package dev.headway.loadgen.arrival;

import dev.headway.fuzz.ParserFuzz;
import java.io.IOException;

/** Schedules of load generators. */
class ScheduleFileFuzzTest extends ParserFuzz {

  ScheduleFileFuzzTest() {
    super(IOException.class);
  }

  @Override
  protected void parse(byte[] input) throws Exception {
    ScheduleFile.read(file("schedule.jsonl", input));
  }
}
