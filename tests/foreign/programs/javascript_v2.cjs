// What an older lab program does with the second version of AWS's SDK. Started as: node javascript_v2.cjs ENDPOINT
"use strict";
const { createRequire } = require("node:module");

const AWS = createRequire(`${process.cwd()}/`)("aws-sdk");
const mturk = new AWS.MTurk({ region: "us-east-1", endpoint: process.argv[2] });

const QUESTION =
  '<ExternalQuestion xmlns="http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas/2006-07-14/ExternalQuestion.xsd">' +
  "<ExternalURL>https://example.org/q</ExternalURL><FrameHeight>0</FrameHeight></ExternalQuestion>";

const values = {
  Title: "Which pictures?",
  Description: "Pick them – all of them.",
  Reward: "0.50",
  LifetimeInSeconds: 3600,
  AssignmentDurationInSeconds: 600,
  Question: QUESTION,
};

async function main() {
  const made = [];
  for (let number = 0; number < 3; number += 1) {
    made.push((await mturk.createHIT(values).promise()).HIT);
  }
  const HITId = made[0].HITId;
  await mturk.updateExpirationForHIT({ HITId, ExpireAt: new Date(0) }).promise();
  const first = await mturk.listHITs({ MaxResults: 2 }).promise();
  const second = await mturk.listHITs({ MaxResults: 2, NextToken: first.NextToken }).promise();
  const missing = await mturk
    .getHIT({ HITId: "3NOSUCHHIT0000000000000000000" })
    .promise()
    .catch((error) => [error.code, error.statusCode, error.TurkErrorCode]);
  return {
    lifetimes: made.map((hit) => (hit.Expiration - hit.CreationTime) / 1000),
    description: made[0].Description,
    expired: (await mturk.getHIT({ HITId }).promise()).HIT.HITStatus,
    pages: [first.NumResults, second.NumResults, typeof second.NextToken],
    missing,
    balance: (await mturk.getAccountBalance().promise()).AvailableBalance,
  };
}

main().then(
  (report) => console.log(JSON.stringify({ report })),
  (error) => {
    console.error(error);
    process.exit(1);
  },
);
