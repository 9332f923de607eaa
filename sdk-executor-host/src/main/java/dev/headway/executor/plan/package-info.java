/**
 * What every executor of this module does with a plan before it computes: refuse what it cannot
 * run, and copy what is to be done to whole blocks. Not exported.
 */
@NullMarked
package dev.headway.executor.plan;

import org.jspecify.annotations.NullMarked;
