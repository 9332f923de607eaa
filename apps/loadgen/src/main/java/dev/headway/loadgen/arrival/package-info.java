/** When requests are sent: schedules, their files, and the thread that keeps to them. */
@NullMarked
package dev.headway.loadgen.arrival;

import org.jspecify.annotations.NullMarked;
