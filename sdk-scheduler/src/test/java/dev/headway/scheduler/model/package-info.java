/**
 * A second scheduler to compare with: written from the description of vLLM's behaviour, with lists,
 * maps and strings, to be read rather than to be fast. A file for each feature. Rules that only
 * Headway has follow the Javadoc of the scheduler under test.
 */
package dev.headway.scheduler.model;
